import type { Description } from '../description.ts';

const tag = 'analytics';
const momentErrors = ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'BLOCK_IN_FUTURE', 'BEFORE_CREATION', 'NOT_READY'] as const;
const rangeErrors = [...momentErrors, 'PERIOD_UNKNOWN', 'RANGE_REVERSED'] as const;
const seriesErrors = [...rangeErrors, 'POINTS_OUT_OF_RANGE'] as const;
const listErrors = [...rangeErrors, 'CURSOR_INVALID'] as const;

const moment = (summary: string): Description => ({ tag, role: 'anyone', summary, errors: momentErrors });
const range = (summary: string): Description => ({ tag, role: 'anyone', summary, errors: rangeErrors });
const series = (summary: string): Description => ({ tag, role: 'anyone', summary, errors: seriesErrors });
const list = (summary: string): Description => ({ tag, role: 'anyone', summary, errors: listErrors });

export const analytics = {
  analyticsOverview: moment('Headline figures'),
  analyticsPps: series('Price per share with its marks'),
  analyticsPpsWhatIf: moment('What the chain would do if the calculated price were reported now'),
  analyticsPerformance: range('Returns'),
  analyticsBenchmark: series('Returns beside those of the benchmark of the asset, and how far they differ'),
  analyticsBridge: range('How the value at the start of a range became the value at its end'),
  analyticsApy: series('Trailing APY over time'),
  analyticsTvl: series('TVL over time'),
  analyticsAllocation: series('Allocation over time'),
  analyticsRisk: moment('Risk score and what it is made of'),
  analyticsConcentration: moment('Concentration'),
  analyticsDrawdown: series('Drawdown episodes'),
  analyticsVolatility: series('Volatility'),
  analyticsRun: moment('Run simulator'),
  analyticsScenarios: moment('Named shocks: what is lost, what is payable, who waits'),
  analyticsUsers: moment('Holders and how they changed'),
  analyticsRetention: moment('Retention by age'),
  analyticsCohorts: moment('Cohorts'),
  analyticsTopHolders: list('Largest holders'),
  analyticsPosition: moment('What one wallet has, put in and waits for'),
  analyticsOperations: range('Work, gas and redemptions'),
  analyticsTransactions: list('What happened, newest first'),
  analyticsRedemptions: list('Who waits for a redemption, since when, and what it would be paid from'),
  analyticsVolume: series('Deposits and withdrawals over time'),
  analyticsMarks: series('When something happened to the vault'),
  analyticsState: moment('Settings and roles as they were'),
  analyticsFees: list('Fee ledger and high-water mark'),
  analyticsExport: { tag, role: 'anyone', summary: 'A dataset as a file, streamed', errors: rangeErrors },
  analyticsSummaries: {
    tag,
    role: 'anyone',
    summary: 'What a list of vaults shows of each, up to 100 in one read',
    errors: [],
  },
  analyticsCompare: {
    tag,
    role: 'anyone',
    summary: 'Two to ten vaults side by side',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'NOT_READY', 'PERIOD_UNKNOWN', 'POINTS_OUT_OF_RANGE'],
  },
} satisfies Record<string, Description>;
