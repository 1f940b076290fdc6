import type {
  GetOperations,
  GetPerformance,
  GetPps,
  GetRisk,
  GetTvlSeries,
  GetUsers,
  GetValueBridge,
  ListFees,
  ListTopHolders,
  ReportSection,
  ResultOf,
} from '@castellan/contracts';
import { figuresOf, tableOf, type Wanted } from './figures.ts';

/** What analytics answers about the month. */
export type Answers = {
  performance: ResultOf<typeof GetPerformance>;
  bridge: ResultOf<typeof GetValueBridge>;
  tvl: ResultOf<typeof GetTvlSeries>;
  pps: ResultOf<typeof GetPps>;
  risk: ResultOf<typeof GetRisk>;
  fees: ResultOf<typeof ListFees>;
  users: ResultOf<typeof GetUsers>;
  top: ResultOf<typeof ListTopHolders>;
  operations: ResultOf<typeof GetOperations>;
};

const empty = { notes: [], figures: [], tables: [], charts: [] };

const performanceFigures: readonly Wanted[] = [
  ['twr', 'Return of the month, net of fees', 'fraction'],
  ['apr', 'The same per year, without compounding', 'fraction'],
  ['excess_return', 'Above the benchmark', 'fraction'],
  ['apy.d30', 'APY of the last 30 days', 'fraction'],
  ['gross_apy.d30', 'APY of the last 30 days before the performance fee', 'fraction'],
  ['fee_drag.d30', 'What the performance fee took of it', 'fraction'],
  ['apy.since_inception', 'APY since inception', 'fraction'],
  ['time_in_loss', 'Share of the days below the highest price', 'fraction'],
  ['drawdown_now', 'Below the highest price at the end', 'fraction'],
  ['tvl_usd', 'Assets in dollars at the end', 'usd'],
  ['tvl_asset', 'Assets at the end', 'asset'],
];

function performance({ performance: answer, tvl, pps }: Answers): ReportSection {
  const { benchmark } = answer;
  return {
    ...empty,
    id: 'performance',
    title: 'Performance',
    notes: [`The benchmark is ${benchmark.name}, version ${benchmark.version}.`],
    figures: figuresOf('performance', answer, performanceFigures),
    charts: [
      {
        id: 'pps',
        title: 'Price per share',
        unit: 'pps',
        shape: 'step',
        points: pps.points.map(({ t, pps: value }, at) => ({ t, value, receipt: `pps:points.${at}.pps` })),
      },
      {
        id: 'tvl',
        title: 'Assets in dollars',
        unit: 'usd',
        shape: 'line',
        points: tvl.points.map(({ t, tvl_usd: value }, at) => ({ t, value, receipt: `tvl:points.${at}.tvl_usd` })),
      },
    ],
  };
}

const bridgeFigures: readonly Wanted[] = [
  ['start.assets', 'Assets at the start', 'asset'],
  ['flow.assets', 'Deposits less redemptions', 'asset'],
  ['yield.assets', 'Yield', 'asset'],
  ['fees.assets', 'Performance fees', 'asset'],
  ['end.assets', 'Assets at the end', 'asset'],
  ['start.usd', 'In dollars at the start', 'usd'],
  ['flow.usd', 'Deposits less redemptions in dollars', 'usd'],
  ['yield.usd', 'Yield in dollars', 'usd'],
  ['fees.usd', 'Performance fees in dollars', 'usd'],
  ['price.usd', 'What the price of the asset did', 'usd'],
  ['end.usd', 'In dollars at the end', 'usd'],
  ['yield_by.reporting_lag.assets', 'Yield that the price shows later or earlier than the positions', 'asset'],
  ['yield_by.not_observed.assets', 'Yield of the time without observations', 'asset'],
  ['yield_by.residual.assets', 'Yield that nothing explains', 'asset'],
];

const bridge = ({ bridge: answer }: Answers): ReportSection => ({
  ...empty,
  id: 'bridge',
  title: 'From the value at the start to the value at the end',
  figures: figuresOf('bridge', answer, bridgeFigures),
  tables: [
    tableOf('bridge', answer, {
      id: 'yield_by_source',
      title: 'Yield by source',
      list: 'yield_by.sources',
      columns: [
        ['source_address', 'Source', 'address', 'fact'],
        ['kind', 'Kind', 'text', 'fact'],
        ['assets', 'Yield', 'asset'],
        ['usd', 'Yield in dollars', 'usd'],
      ],
    }),
  ],
});

const riskFigures: readonly Wanted[] = [
  ['score', 'Risk score, of 100; higher is riskier', 'number'],
  ['coverage', 'Share of the score with live data', 'fraction'],
  ['max_drawdown_30d', 'Deepest fall of the last 30 days', 'fraction'],
  ['volatility_annual', 'Volatility per year', 'fraction'],
  ['sharpe', 'Sharpe ratio', 'number'],
  ['concentration.hhi', 'Concentration of the allocation (HHI)', 'fraction'],
  ['top_holder_share', 'Share of the largest holder', 'fraction'],
  ['top10_holder_share', 'Share of the ten largest', 'fraction'],
  ['liquidity.instant_share', 'Assets that could be paid at once', 'fraction'],
  ['liquidity.coverage.k1', 'How often the largest holder could be paid', 'number'],
  ['liquidity.coverage.k10', 'How often the ten largest could be paid', 'number'],
  ['withdrawal_at_risk.h24_p95', 'Withdrawal of a day that 95 % of days stay below', 'fraction'],
];

const risk = ({ risk: answer }: Answers): ReportSection => ({
  ...empty,
  id: 'risk',
  title: 'Risk at the end',
  figures: figuresOf('risk', answer, riskFigures),
  tables: [
    tableOf('risk', answer, {
      id: 'components',
      title: 'What the score is made of',
      list: 'components',
      columns: [
        ['name', 'Component', 'text', 'fact'],
        ['value', 'Measured', 'number'],
        ['unit', 'Unit', 'text', 'fact'],
        ['score', 'Score, 0 to 1', 'number'],
        ['weight', 'Weight', 'number', 'fact'],
      ],
    }),
  ],
});

const fees = ({ fees: answer }: Answers): ReportSection => ({
  ...empty,
  id: 'fees',
  title: 'Fees',
  notes: ['Totals are of the whole life of the vault; the ledger is of the month, newest first.'],
  figures: figuresOf('fees', answer, [
    ['totals.performance', 'Performance fees since inception', 'asset'],
    ['totals.performance_protocol', 'Of these for the protocol', 'asset'],
    ['totals.performance_recipient', 'Of these for the recipient', 'asset'],
    ['totals.entry', 'Entry fees since inception', 'asset'],
    ['hwm_pps', 'High-water mark at the end', 'pps'],
    ['share_below_hwm', 'Shares bought below the mark', 'fraction'],
  ]),
  tables: [
    tableOf('fees', answer, {
      id: 'ledger',
      title: 'Fee ledger of the month',
      list: 'fees',
      columns: [
        ['t', 'Time', 'time', 'fact'],
        ['kind', 'Kind', 'text', 'fact'],
        ['total', 'Fee', 'asset'],
        ['protocol_share', 'For the protocol', 'asset'],
        ['usd', 'In dollars', 'usd'],
        ['tx_hash', 'Transaction', 'hash', 'fact'],
      ],
      total: answer.total,
    }),
  ],
});

const holders = ({ users, top }: Answers): ReportSection => ({
  ...empty,
  id: 'holders',
  title: 'Holders',
  notes: ['The changes are of the 30 days before the end.'],
  figures: figuresOf('users', users, [
    ['total', 'Holders at the end', 'count'],
    ['bridge.d30.start', 'Holders 30 days before', 'count'],
    ['bridge.d30.new_kept', 'New and still there', 'count'],
    ['bridge.d30.reactivated', 'Back again', 'count'],
    ['bridge.d30.churned', 'Left', 'count'],
    ['retention.d30', 'Holders who stayed', 'fraction'],
    ['asset_retention.d30', 'Shares that stayed', 'fraction'],
    ['median_deposit', 'Median deposit', 'asset'],
  ]),
  tables: [
    tableOf('top', top, {
      id: 'largest',
      title: 'Largest holders at the end',
      list: 'holders',
      columns: [
        ['wallet_address', 'Wallet', 'address', 'fact'],
        ['shares', 'Shares', 'shares'],
        ['assets', 'Worth', 'asset'],
        ['share', 'Of all', 'fraction'],
        ['first_seen', 'Since', 'time', 'fact'],
      ],
      total: top.total,
    }),
  ],
});

const operations = ({ operations: answer }: Answers): ReportSection => ({
  ...empty,
  id: 'operations',
  title: 'Operations',
  figures: figuresOf('operations', answer, [
    ['transactions', 'Transactions', 'count'],
    ['deposits.count', 'Deposits', 'count'],
    ['deposits.assets', 'Deposited', 'asset'],
    ['withdrawals.count', 'Redemptions fulfilled', 'count'],
    ['withdrawals.assets', 'Paid out', 'asset'],
    ['requests', 'Redemptions asked for', 'count'],
    ['redemptions.pending', 'Waiting at the end', 'count'],
    ['redemptions.p50_seconds', 'Wait for a redemption, median', 'seconds'],
    ['redemptions.p95_seconds', 'Wait for a redemption, 95 %', 'seconds'],
    ['slippage.average_bps', 'Slippage, mean by amount', 'bps'],
    ['gas.total', 'Gas', 'wei'],
    ['gas.usd', 'Gas in dollars', 'usd'],
  ]),
});

/** The sections that follow from answers of analytics alone, in their order. */
export const analysedSections = (answers: Answers): ReportSection[] => [
  performance(answers),
  bridge(answers),
  risk(answers),
  fees(answers),
  holders(answers),
  operations(answers),
];
