import { summaryOf } from './analyse.ts';
import { belowMark, drag, mark, pendingFee, proposed, taken, terms } from './fees.ts';
import type { IntentName } from './intents.ts';
import {
  type Asked,
  activeWallets,
  apy,
  bridgeTable,
  cadence,
  deposits,
  divergence,
  dueNext,
  expiry,
  gas,
  gasByPayer,
  grossApy,
  holderCount,
  lastPrice,
  liquid,
  managerChange,
  managers,
  markMoved,
  myRole,
  netFlow,
  newAndGone,
  priceAge,
  pricePerShare,
  retained,
  returned,
  runway,
  sourceApy,
  sourceShare,
  sources,
  sourcesTable,
  whoMay,
} from './leads.ts';
import { flows, instant, redemptions, waits } from './liquidity.ts';
import { excess, growth, standing } from './performance.ts';
import { freshness, operationOf } from './price.ts';
import { allProposed, rootProposed } from './proposals.ts';
import { concentration, deepest, drawdowns, holders, score, sharpe, underwater, volatility } from './risk.ts';
import { idle } from './sources.ts';
import { tableOf } from './table.ts';
import { type Phrase, plain, together } from './writer.ts';

/** The sentence that answers, the figures behind it, and what might be asked next. */
export type Reply = { lead: Phrase; table: Phrase | null; ask: readonly string[] };

/** Figures of a table by their paths; `@` stands for each window. */
type Rows = readonly string[];
type Entry = {
  lead: (asked: Asked) => Phrase | null;
  rows?: Rows;
  table?: (asked: Asked) => Phrase | null;
  ask: readonly string[];
};

const withValue = ['current', 'd7', 'd30', 'd90', 'since_inception'];

/** Several figures of one part of an answer. */
const under = (part: string, names: string): Rows => names.split(', ').map((name) => `${part}.${name}`);

/** What each question on figures of the context is answered with: its sentence, and the figures of the table below it. */
export const replies = {
  apy: {
    lead: apy,
    rows: withValue.map((window) => `performance.apy.${window}`),
    ask: ['Which source carries the yield?', 'How much do fees cost in APY?'],
  },
  gross_apy: {
    lead: grossApy,
    rows: under('performance', 'gross_apy.d7, gross_apy.d30, apy.d7, apy.d30'),
    ask: ['What fees are charged?'],
  },
  return: {
    lead: returned,
    rows: withValue.map((window) => `performance.period_return.${window}`),
    ask: ['Compare the last week with the week before.', 'Is the vault ahead of the benchmark?'],
  },
  apr: {
    lead: ({ topic: { writer } }) =>
      writer.phrase`The APR of the last 30 days is ${writer.figure('performance.apr')}, a simple rate without compounding.`,
    ask: ['What is the APY?'],
  },
  benchmark: {
    lead: ({ topic }) => excess(topic),
    rows: under('performance', 'excess_return, benchmark.rate, period_return.d30'),
    ask: ['What is the APY?'],
  },
  sources: { lead: sources, table: sourcesTable, ask: ['How concentrated is the vault?', 'How did TVL change?'] },
  empty_sources: {
    lead: ({ topic: { writer } }) =>
      writer.phrase`Sources that hold no assets: ${writer.figure('overview.empty_sources')}; those that do: ${writer.figure('overview.strategies')}.`,
    table: sourcesTable,
    ask: ['Which source carries the yield?'],
  },
  source_share: { lead: sourceShare, table: sourcesTable, ask: ['Which source carries the yield?'] },
  source_apy: { lead: sourceApy, table: sourcesTable, ask: ['Which source carries the yield?'] },
  idle: {
    lead: ({ topic }) => idle(topic) ?? plain('No assets are idle.'),
    table: sourcesTable,
    ask: ['How much can be paid at once?'],
  },
  concentration: {
    lead: ({ topic }) => concentration(topic),
    rows: under('risk.concentration', 'points, effective_sources, hhi_deployed, normalised'),
    ask: ['Which source carries the yield?'],
  },
  top_holders: {
    lead: ({ topic }) => holders(topic),
    rows: under('risk', 'top_holder_share, top10_holder_share, holder_hhi'),
    ask: ['Simulate a run of the largest holders.'],
  },
  calculated: {
    lead: divergence,
    rows: [
      'pps.current.pps',
      'pps.calculated.pps',
      'pps.calculated.divergence_bps',
      'vault.pps_config.deviation_threshold_bps',
    ],
    ask: ['What would the next price do?'],
  },
  coverage: {
    lead: ({ topic }) => instant(topic),
    rows: under('risk.liquidity.coverage', 'k1, k3, k10'),
    ask: ['Simulate a run of the largest holders.'],
  },
  liquidity: {
    lead: liquid,
    rows: under(
      'risk',
      'liquidity.instant_assets, liquidity.instant_share, liquidity.ladder.0.assets, liquidity.ladder.1.assets, liquidity.ladder.2.assets, withdrawal_at_risk.h24_p95',
    ),
    ask: ['Simulate a run of the largest holders.', 'Who came and who left?'],
  },
  redemptions: {
    lead: ({ topic }) => together([redemptions(topic), waits(topic)]),
    rows: under('operations.redemptions', 'pending, pending_assets, fulfilled, p50_seconds, max_seconds'),
    ask: ['How much can be paid at once?'],
  },
  deposits: {
    lead: deposits,
    rows: [
      'operations.deposits.count',
      'operations.deposits.assets',
      'operations.deposits.usd',
      'users.average_deposit',
      'users.median_deposit',
      'users.p90_deposit',
    ],
    ask: ['What is the net flow?'],
  },
  withdrawals: {
    lead: ({ topic }) => flows(topic),
    rows: under('operations', 'withdrawals.count, withdrawals.assets, withdrawals.usd, requests'),
    ask: ['Which redemptions are pending?'],
  },
  net_flow: {
    lead: netFlow,
    rows: under('overview.net_flow', 'h24, d7, d30'),
    ask: ['Who came and who left?'],
  },
  tvl_change: {
    lead: (asked) => growth(asked.topic, asked.question.window),
    rows: ['h24', 'd7', 'd30'].flatMap((window) =>
      ['flow', 'yield', 'fees', 'price', 'total'].map((part) => `performance.tvl_change_split.${window}.${part}`),
    ),
    ask: ['What is the net flow?'],
  },
  tvl: {
    lead: ({ topic }) => standing(topic),
    rows: under('overview', 'tvl_usd, tvl_asset, tvl_change.h24, tvl_change.d7'),
    ask: ['How did TVL change?'],
  },
  hwm: {
    lead: ({ topic }) => mark(topic),
    rows: under('pps', 'hwm.pps, current.pps, hwm.distance'),
    ask: ['Can the fee be taken?'],
  },
  hwm_moved: { lead: markMoved, ask: ['What is the high-water mark?', 'Is there a fee proposal?'] },
  below_hwm: { lead: ({ topic }) => belowMark(topic), ask: ['What is the high-water mark?'] },
  pending_fee: {
    lead: ({ topic }) => pendingFee(topic),
    rows: under('vault.pending_performance_fee', 'total, recipient_share, protocol_share, profit_since_hwm'),
    ask: ['What is the high-water mark?', 'How much was taken in fees so far?'],
  },
  fees_taken: {
    lead: ({ topic }) => taken(topic),
    rows: under('fees.totals', 'performance, performance_recipient, performance_protocol, entry, performance_usd'),
    ask: ['Can the fee be taken?'],
  },
  fee_change: {
    lead: ({ topic }) => proposed(topic) ?? plain('No change of the fees is proposed.'),
    ask: ['What fees are charged?'],
  },
  fee_terms: {
    lead: ({ topic }) => together([terms(topic), drag(topic)]),
    rows: under(
      'vault',
      'fee_config.performance_fee_bps, fee_config.management_fee_bps, pending_performance_fee.total',
    ),
    ask: ['Can the fee be taken?', 'What is the high-water mark?'],
  },
  asset_price: {
    lead: ({ topic: { writer } }) =>
      writer.phrase`The price of the asset is ${writer.figure('overview.asset_price.usd')}, as of ${writer.figure('overview.asset_price.updated_at')}.`,
    ask: ['What is the TVL?'],
  },
  price_age: {
    lead: priceAge,
    rows: ['pps.current.t', 'pps.expiry.expires_at', 'transmissions.next.due_at', 'transmissions.next.late_by_seconds'],
    ask: ['Do the validators report?', 'What happened lately?'],
  },
  last_price: {
    lead: lastPrice,
    rows: under('pps', 'current.pps, current.t, expiry.expires_at'),
    ask: ['Is the price on time?'],
  },
  expiry: {
    lead: expiry,
    rows: under('pps', 'current.t, expiry.expires_at, expiry.expiration_seconds'),
    ask: ['When is the next price due?'],
  },
  next_price: {
    lead: dueNext,
    rows: ['transmissions.next.due_at', 'pps.current.t', 'pps.cadence.p50_seconds'],
    ask: ['What would the next price do?'],
  },
  cadence: {
    lead: cadence,
    rows: under('pps.cadence', 'p50_seconds, p95_seconds, max_seconds, reports'),
    ask: ['When is the next price due?'],
  },
  deviation: {
    lead: ({ topic: { writer } }) =>
      writer.phrase`The deviation threshold is ${writer.figure('vault.pps_config.deviation_threshold_bps')}: a report that moves the price further pauses the vault.`,
    rows: ['vault.pps_config.deviation_threshold_bps', 'pps.calculated.divergence_bps'],
    ask: ['What would the next price do?'],
  },
  pps: {
    lead: pricePerShare,
    rows: under('pps', 'current.pps, current.net_pps, calculated.pps, hwm.pps, current.t'),
    ask: ['Is the price on time?'],
  },
  status: {
    lead: ({ topic }) => together([operationOf(topic), freshness(topic)]),
    ask: ['What happened lately?', 'How is the risk?'],
  },
  risk: {
    lead: ({ topic }) => score(topic),
    rows: under(
      'risk',
      'score, concentration.points, max_drawdown_30d, volatility_daily, liquidity.coverage.k3, top_holder_share',
    ),
    ask: ['Explain the latest drawdown.', 'Simulate a run of the largest holders.'],
  },
  drawdown: {
    lead: ({ topic, question }) =>
      question.window === 'current'
        ? together([
            topic.writer.phrase`The drawdown now is ${topic.writer.figure('performance.drawdown_now')}.`,
            deepest(topic),
          ])
        : drawdowns(topic),
    rows: [
      'risk.max_drawdown_30d',
      'performance.drawdown_now',
      'risk/drawdown.episodes.0.start',
      'risk/drawdown.episodes.0.trough',
      'risk/drawdown.episodes.0.recovered',
    ],
    ask: ['How volatile is the vault?'],
  },
  underwater: {
    lead: ({ topic }) => underwater(topic),
    rows: ['performance.time_in_loss', 'performance.drawdown_now'],
    ask: ['Explain the latest drawdown.'],
  },
  volatility: {
    lead: ({ topic }) => volatility(topic),
    rows: under('risk', 'volatility_daily, volatility_annual, sharpe'),
    ask: ['How is the risk?'],
  },
  sharpe: {
    lead: ({ topic }) => sharpe(topic),
    rows: ['risk.sharpe', 'risk.volatility_annual'],
    ask: ['How volatile is the vault?'],
  },
  churn: {
    lead: newAndGone,
    table: bridgeTable,
    ask: ['What is the retention?', 'How much do the largest holders own?'],
  },
  retention: {
    lead: retained,
    rows: under('users', 'retention.d7, retention.d30, asset_retention.d7, asset_retention.d30'),
    ask: ['Who came and who left?'],
  },
  active: {
    lead: activeWallets,
    rows: under('users.active', 'h24, d7, d30'),
    ask: ['Who came and who left?'],
  },
  holders: {
    lead: holderCount,
    rows: ['users.total', 'users.ever', 'risk.top_holder_share'],
    ask: ['Who came and who left?'],
  },
  upkeep: {
    lead: runway,
    rows: under(
      'operations',
      'upkeep.runway_seconds, upkeep.runway_worst_case_seconds, upkeep.empty_at, upkeep.cost_per_update, updates_per_day',
    ),
    ask: ['Is the price on time?'],
  },
  upkeep_cost: {
    lead: ({ topic: { writer } }) =>
      writer.phrase`One price update costs ${writer.figure('operations.upkeep.cost_per_update')} of upkeep.`,
    rows: under('operations', 'upkeep.cost_per_update, upkeep.spent, updates_per_day'),
    ask: ['How long does the upkeep last?'],
  },
  gas: {
    lead: gas,
    rows: under('operations.gas', 'total, usd, average, p50, p95, tvl_bps_per_year'),
    ask: ['How many transactions were there?'],
  },
  gas_payer: {
    lead: gasByPayer,
    rows: ['depositor', 'manager', 'keeper', 'validator', 'other'].flatMap((payer) => [
      `operations.gas.by_payer.${payer}.total`,
      `operations.gas.by_payer.${payer}.usd`,
    ]),
    ask: ['How much gas was spent?'],
  },
  slippage: {
    lead: ({ topic: { writer } }) =>
      writer.phrase`Slippage over 30 days was ${writer.figure('operations.slippage.average_bps')} on average and ${writer.figure('operations.slippage.max_bps')} at most.`,
    ask: ['How much gas was spent?'],
  },
  transactions: {
    lead: ({ topic: { writer } }) =>
      writer.phrase`The number of transactions over 30 days is ${writer.figure('operations.transactions')}.`,
    rows: under('operations', 'transactions, deposits.count, withdrawals.count, requests'),
    ask: ['How much gas was spent?'],
  },
  my_role: { lead: myRole, ask: ['Who are the managers?'] },
  managers: {
    lead: managers,
    rows: ['vault.managers.view_only_count'],
    ask: ['What is my role?', 'What happened lately?'],
  },
  who_may: { lead: whoMay, rows: ['vault.managers.view_only_count'], ask: ['What is my role?'] },
  viewonly: {
    lead: ({ topic: { writer } }) =>
      writer.phrase`Wallets with view-only access: ${writer.figure('vault.managers.view_only_count')}.`,
    ask: ['Who are the managers?'],
  },
  manager_change: { lead: managerChange, ask: ['Who are the managers?'] },
  root: { lead: rootProposed, ask: ['Which changes are proposed?', 'What happened lately?'] },
  proposals: { lead: allProposed, ask: ['What happened lately?', 'Who are the managers?'] },
  summary: {
    lead: ({ topic }) => summaryOf(topic),
    rows: ['overview.tvl_usd', 'performance.apy.d30', 'risk.score', 'overview.net_flow.d30', 'users.total'],
    ask: ['How is the risk?', 'Which source carries the yield?'],
  },
  created: {
    lead: ({ topic: { writer } }) => writer.phrase`The vault was created at ${writer.figure('vault.created_at')}.`,
    ask: ['What is the return since inception?'],
  },
} as const satisfies Partial<Record<IntentName, Entry>>;
type FigureIntent = keyof typeof replies;
export const isFigureIntent = (name: IntentName): name is FigureIntent => name in replies;

const noFigures = plain('There are no figures on this yet: the vault has too little history.');

/** The sentence of an entry; of a question that names several times, one for each of them. */
function leadOf(entry: Entry, asked: Asked): Phrase | null {
  const { windows } = asked.question;
  if (windows.length < 2) return entry.lead(asked);
  return together(
    windows.map((window) => entry.lead({ ...asked, question: { ...asked.question, window, windows: [window] } })),
  );
}

/** Answers from the figures of the context. */
export function replyOf(name: FigureIntent, asked: Asked): Reply {
  const entry: Entry = replies[name];
  const { context, writer } = asked.topic;
  const said = leadOf(entry, asked);
  const figures = (entry.rows ?? []).map((path) => writer.figure(path));
  return {
    lead: said === null || said.text === '' ? noFigures : said,
    table: entry.table?.(asked) ?? tableOf(figures, context),
    ask: entry.ask,
  };
}
