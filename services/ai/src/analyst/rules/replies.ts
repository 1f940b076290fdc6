import { windows as windowWords } from '../../context/catalogue.ts';
import { shortAddress } from '../../context/extract.ts';
import { summaryOf } from './analyse.ts';
import { belowMark, drag, mark, pendingFee, proposed, taken, terms } from './fees.ts';
import type { IntentName } from './intents.ts';
import { churn, flows, instant, redemptions, upkeep, waits } from './liquidity.ts';
import { excess, growth, standing } from './performance.ts';
import { freshness, nextPriceBy, operationOf, usableUntil } from './price.ts';
import type { ReadQuestion } from './question.ts';
import { concentration, deepest, drawdowns, holders, score, sharpe, underwater, volatility } from './risk.ts';
import { carrier, figureOf, idle, oneSource, sourcesOf } from './sources.ts';
import { table, tableOf } from './table.ts';
import { missing, type Topic } from './topic.ts';
import { either, type Phrase, plain, safeName, together } from './writer.ts';

/** A question on figures of the context. */
export type Asked = { topic: Topic; question: ReadQuestion };
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

/** A figure over the time that was asked for. */
const over = ({ topic, question }: Asked, path: string, usual: string): { path: string; words: string } => {
  const window = question.window ?? usual;
  const asked = topic.writer.figure(`${path}.${window}`) === null && window === 'current' ? usual : window;
  return { path: `${path}.${asked}`, words: windowWords[asked] ?? '' };
};

function apy(asked: Asked): Phrase | null {
  const { writer } = asked.topic;
  const isBoth = asked.question.window === null || asked.question.words.has('compare');
  const { path, words } = over(asked, 'performance.apy', 'since_inception');
  return either(
    isBoth
      ? writer.phrase`The APY is ${writer.figure('performance.apy.d30')} over 30 days and ${writer.figure('performance.apy.d7')} over 7 days, after fees.`
      : null,
    writer.phrase`The APY ${words} is ${writer.figure(path)}, after fees.`,
    missing(asked.topic, path, `The APY ${words}`),
  );
}

function returned(asked: Asked): Phrase | null {
  const { writer } = asked.topic;
  const { path, words } = over(asked, 'performance.period_return', 'd30');
  return either(
    writer.phrase`The vault returned ${writer.figure(path)} ${words}, after fees.`,
    missing(asked.topic, path, `The return ${words}`),
  );
}

function grossApy(asked: Asked): Phrase | null {
  const { writer } = asked.topic;
  const gross = over(asked, 'performance.gross_apy', 'd30');
  const net = over(asked, 'performance.apy', 'd30');
  return either(
    writer.phrase`The APY ${gross.words} is ${writer.figure(gross.path)} before fees and ${writer.figure(net.path)} after.`,
    missing(asked.topic, gross.path, `The APY before fees ${gross.words}`),
  );
}

function netFlow(asked: Asked): Phrase | null {
  const { writer } = asked.topic;
  const { path, words } = over(asked, 'overview.net_flow', 'd30');
  return either(
    writer.phrase`The net flow ${words} is ${writer.figure(path)}, deposits less withdrawals.`,
    missing(asked.topic, path, `The net flow ${words}`),
  );
}

const monthOrWeek = ({ question }: Asked): 'd7' | 'd30' => (question.window === 'd7' ? 'd7' : 'd30');

function activeWallets(asked: Asked): Phrase | null {
  const { writer } = asked.topic;
  const { path, words } = over(asked, 'users.active', 'd30');
  return writer.phrase`Wallets that were active ${words}: ${writer.figure(path)}.`;
}

function newAndGone(asked: Asked): Phrase | null {
  return churn(asked.topic, monthOrWeek(asked));
}

function retained(asked: Asked): Phrase | null {
  const { writer } = asked.topic;
  const holdersKept = over(asked, 'users.retention', 'd30');
  const sharesKept = over(asked, 'users.asset_retention', 'd30');
  return either(
    writer.phrase`Retention ${holdersKept.words} is ${writer.figure(holdersKept.path)} of the holders and ${writer.figure(sharesKept.path)} of their shares.`,
    missing(asked.topic, holdersKept.path, `Retention ${holdersKept.words}`),
  );
}

function deposits({ topic: { writer } }: Asked): Phrase | null {
  const of = (name: string) => writer.figure(`operations.deposits.${name}`);
  return together([
    writer.phrase`Over 30 days ${of('assets')} came in by deposits; their number is ${of('count')}.`,
    writer.phrase`The average deposit was ${writer.figure('users.average_deposit')}, the median ${writer.figure('users.median_deposit')}.`,
  ]);
}

function holderCount({ topic: { writer }, question }: Asked): Phrase | null {
  const ever = writer.phrase`Wallets that ever held shares: ${writer.figure('users.ever')}; holders now: ${writer.figure('users.total')}.`;
  return question.words.has('ever') || question.window === 'since_inception'
    ? ever
    : writer.phrase`The number of holders is ${writer.figure('users.total')}.`;
}

function sourceAsked({ topic, question }: Asked) {
  const source = sourcesOf(topic).find(({ index }) => index === question.source);
  if (source === undefined) return null;
  const of = (name: string) => figureOf(topic, source, name);
  return { source, of };
}

function sourceShare(asked: Asked): Phrase | null {
  const found = sourceAsked(asked);
  if (found === null) return null;
  const { called } = found.source;
  return either(
    asked.topic.writer
      .phrase`${called} holds ${found.of('share')} of the assets: ${found.of('assets')}, worth ${found.of('usd')}.`,
    oneSource(asked.topic, found.source),
  );
}

function sourceApy(asked: Asked): Phrase | null {
  const found = sourceAsked(asked);
  if (found === null) return null;
  const { called } = found.source;
  return either(
    asked.topic.writer.phrase`The APY of ${called} is ${found.of('apy')}.`,
    plain(`${called} has no APY of its own yet.`),
  );
}

function sourcesTable({ topic }: Asked): Phrase | null {
  const { writer } = topic;
  const rows = sourcesOf(topic).map((source) => {
    const of = (name: string) => figureOf(topic, source, name);
    return either(
      writer.phrase`| ${source.called} | ${of('share')} | ${of('assets')} | ${of('apy')} |`,
      writer.phrase`| ${source.called} | ${of('share')} | ${of('assets')} | none |`,
    );
  });
  return table(['Source', 'Share', 'Assets', 'APY'], rows);
}

const sources = ({ topic }: Asked): Phrase =>
  together([
    carrier(topic),
    topic.writer.phrase`Sources that hold assets: ${topic.writer.figure('overview.strategies')}.`,
  ]);

function divergence({ topic: { writer } }: Asked): Phrase | null {
  return writer.phrase`The calculated price is ${writer.figure('pps.calculated.divergence_bps')} away from the accepted one.`;
}

function pricePerShare({ topic: { writer } }: Asked): Phrase | null {
  const of = (name: string) => writer.figure(`pps.current.${name}`);
  return either(
    writer.phrase`The price per share is ${of('pps')}, or ${of('net_pps')} after the pending fee, as reported at ${of('t')}.`,
    writer.phrase`The price per share is ${writer.figure('vault.current_pps')}, set at ${writer.figure('vault.last_pps_update_timestamp')}.`,
  );
}

function lastPrice({ topic: { writer } }: Asked): Phrase | null {
  return either(
    writer.phrase`The last price was reported at ${writer.figure('pps.current.t')}.`,
    writer.phrase`The last price was set at ${writer.figure('vault.last_pps_update_timestamp')}.`,
  );
}

const expiry = ({ topic }: Asked): Phrase =>
  together([
    usableUntil(topic),
    topic.writer.phrase`A price can be used for ${topic.writer.figure('pps.expiry.expiration_seconds')}.`,
  ]);

const dueNext = ({ topic }: Asked): Phrase =>
  together([nextPriceBy(topic) ?? plain('It is not known when the next price is due.'), freshness(topic)]);

const cadence = ({ topic: { writer } }: Asked): Phrase | null =>
  writer.phrase`Prices come every ${writer.figure('pps.cadence.p50_seconds')} in the median of the last 30 days; the longest gap was ${writer.figure('pps.cadence.max_seconds')}.`;

const runway = ({ topic }: Asked): Phrase => {
  const { writer } = topic;
  return together([
    upkeep(topic),
    writer.phrase`At the shortest interval it would last for ${writer.figure('operations.upkeep.runway_worst_case_seconds')}.`,
    writer.phrase`The balance is ${writer.figure('vault.upkeep_info.balance')}.`,
  ]);
};

type Wallet = { wallet_address: string; display_name: string | null };
const called = ({ wallet_address, display_name }: Wallet): string => {
  const name = display_name === null ? null : safeName(display_name);
  return name === null ? shortAddress(wallet_address) : `${name} (${shortAddress(wallet_address)})`;
};

function managers({ topic: { context } }: Asked): Phrase {
  const { primary, secondary } = context.detail.managers;
  const others =
    secondary.length === 0
      ? 'There is no secondary manager.'
      : `Secondary managers: ${secondary.slice(0, 10).map(called).join(', ')}.`;
  return plain(`The primary manager is ${called(primary)}. ${others}`);
}

const myRole = ({ topic: { context } }: Asked): Phrase =>
  plain(`Your role on this vault is ${(context.detail.my_role ?? 'none').replaceAll('_', ' ')}.`);

function managerChange({ topic: { context, writer } }: Asked): Phrase | null {
  if (context.detail.pending_manager_change === null) return plain('No change of the primary manager is proposed.');
  return writer.phrase`A change of the primary manager is proposed and may take effect from ${writer.figure('vault.pending_manager_change.effective_at')}.`;
}

const gas = ({ topic: { writer } }: Asked): Phrase | null =>
  writer.phrase`Over 30 days gas cost ${writer.figure('operations.gas.total')}, on average ${writer.figure('operations.gas.average')} for a transaction.`;

const liquid = ({ topic, question }: Asked): Phrase => {
  const { writer } = topic;
  const hourly = writer.phrase`${writer.figure('risk.liquidity.ladder.0.assets')} can be paid at once out of idle assets and ${writer.figure('risk.liquidity.ladder.1.assets')} within an hour.`;
  return question.words.has('hour') && hourly !== null ? hourly : instant(topic);
};

/** What each question on figures of the context is answered with: its sentence, and the figures of the table below it. */
export const replies = {
  apy: {
    lead: apy,
    rows: withValue.map((window) => `performance.apy.${window}`),
    ask: ['Which source carries the yield?', 'How much do fees cost in APY?'],
  },
  gross_apy: {
    lead: grossApy,
    rows: ['performance.gross_apy.d7', 'performance.gross_apy.d30', 'performance.apy.d7', 'performance.apy.d30'],
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
    rows: ['performance.excess_return', 'performance.benchmark.rate', 'performance.period_return.d30'],
    ask: ['What is the APY?'],
  },
  sources: { lead: sources, table: sourcesTable, ask: ['How concentrated is the vault?', 'How did TVL change?'] },
  source_share: { lead: sourceShare, table: sourcesTable, ask: ['Which source carries the yield?'] },
  source_apy: { lead: sourceApy, table: sourcesTable, ask: ['Which source carries the yield?'] },
  idle: {
    lead: ({ topic }) => idle(topic) ?? plain('No assets are idle.'),
    table: sourcesTable,
    ask: ['How much can be paid at once?'],
  },
  concentration: {
    lead: ({ topic }) => concentration(topic),
    rows: [
      'risk.concentration.points',
      'risk.concentration.effective_sources',
      'risk.concentration.hhi_deployed',
      'risk.concentration.normalised',
    ],
    ask: ['Which source carries the yield?'],
  },
  top_holders: {
    lead: ({ topic }) => holders(topic),
    rows: ['risk.top_holder_share', 'risk.top10_holder_share', 'risk.holder_hhi'],
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
    rows: ['risk.liquidity.coverage.k1', 'risk.liquidity.coverage.k3', 'risk.liquidity.coverage.k10'],
    ask: ['Simulate a run of the largest holders.'],
  },
  liquidity: {
    lead: liquid,
    rows: [
      'risk.liquidity.instant_assets',
      'risk.liquidity.instant_share',
      'risk.liquidity.ladder.0.assets',
      'risk.liquidity.ladder.1.assets',
      'risk.liquidity.ladder.2.assets',
      'risk.withdrawal_at_risk.h24_p95',
    ],
    ask: ['Simulate a run of the largest holders.', 'Who came and who left?'],
  },
  redemptions: {
    lead: ({ topic }) => together([redemptions(topic), waits(topic)]),
    rows: [
      'operations.redemptions.pending',
      'operations.redemptions.pending_assets',
      'operations.redemptions.fulfilled',
      'operations.redemptions.p50_seconds',
      'operations.redemptions.max_seconds',
    ],
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
    rows: [
      'operations.withdrawals.count',
      'operations.withdrawals.assets',
      'operations.withdrawals.usd',
      'operations.requests',
    ],
    ask: ['Which redemptions are pending?'],
  },
  net_flow: {
    lead: netFlow,
    rows: ['overview.net_flow.h24', 'overview.net_flow.d7', 'overview.net_flow.d30'],
    ask: ['Who came and who left?'],
  },
  tvl_change: {
    lead: (asked) => either(growth(asked.topic, asked.question.window === 'd30' ? 'd30' : 'd7')),
    rows: ['d7', 'd30'].flatMap((window) =>
      ['flow', 'yield', 'price', 'total'].map((part) => `performance.tvl_change_split.${window}.${part}`),
    ),
    ask: ['What is the net flow?'],
  },
  tvl: {
    lead: ({ topic }) => standing(topic),
    rows: ['overview.tvl_usd', 'overview.tvl_asset', 'overview.tvl_change.h24', 'overview.tvl_change.d7'],
    ask: ['How did TVL change?'],
  },
  hwm: {
    lead: ({ topic }) => mark(topic),
    rows: ['pps.hwm.pps', 'pps.current.pps', 'pps.hwm.distance'],
    ask: ['Can the fee be taken?'],
  },
  below_hwm: { lead: ({ topic }) => belowMark(topic), ask: ['What is the high-water mark?'] },
  pending_fee: {
    lead: ({ topic }) => pendingFee(topic),
    rows: [
      'vault.pending_performance_fee.total',
      'vault.pending_performance_fee.recipient_share',
      'vault.pending_performance_fee.protocol_share',
      'vault.pending_performance_fee.profit_since_hwm',
    ],
    ask: ['What is the high-water mark?', 'How much was taken in fees so far?'],
  },
  fees_taken: {
    lead: ({ topic }) => taken(topic),
    rows: [
      'fees.totals.performance',
      'fees.totals.performance_recipient',
      'fees.totals.performance_protocol',
      'fees.totals.entry',
      'fees.totals.performance_usd',
    ],
    ask: ['Can the fee be taken?'],
  },
  fee_change: {
    lead: ({ topic }) => proposed(topic) ?? plain('No change of the fees is proposed.'),
    ask: ['What fees are charged?'],
  },
  fee_terms: {
    lead: ({ topic }) => together([terms(topic), drag(topic)]),
    rows: [
      'vault.fee_config.performance_fee_bps',
      'vault.fee_config.management_fee_bps',
      'vault.pending_performance_fee.total',
    ],
    ask: ['Can the fee be taken?', 'What is the high-water mark?'],
  },
  asset_price: {
    lead: ({ topic: { writer } }) =>
      writer.phrase`The price of the asset is ${writer.figure('overview.asset_price.usd')}, as of ${writer.figure('overview.asset_price.updated_at')}.`,
    ask: ['What is the TVL?'],
  },
  price_age: {
    lead: ({ topic }) => freshness(topic),
    rows: ['pps.current.t', 'pps.expiry.expires_at', 'transmissions.next.due_at', 'transmissions.next.late_by_seconds'],
    ask: ['Do the validators report?', 'What happened lately?'],
  },
  last_price: {
    lead: lastPrice,
    rows: ['pps.current.pps', 'pps.current.t', 'pps.expiry.expires_at'],
    ask: ['Is the price on time?'],
  },
  expiry: {
    lead: expiry,
    rows: ['pps.current.t', 'pps.expiry.expires_at', 'pps.expiry.expiration_seconds'],
    ask: ['When is the next price due?'],
  },
  next_price: {
    lead: dueNext,
    rows: ['transmissions.next.due_at', 'pps.current.t', 'pps.cadence.p50_seconds'],
    ask: ['What would the next price do?'],
  },
  cadence: {
    lead: cadence,
    rows: ['pps.cadence.p50_seconds', 'pps.cadence.p95_seconds', 'pps.cadence.max_seconds', 'pps.cadence.reports'],
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
    rows: ['pps.current.pps', 'pps.current.net_pps', 'pps.calculated.pps', 'pps.hwm.pps', 'pps.current.t'],
    ask: ['Is the price on time?'],
  },
  status: {
    lead: ({ topic }) => together([operationOf(topic), freshness(topic)]),
    ask: ['What happened lately?', 'How is the risk?'],
  },
  risk: {
    lead: ({ topic }) => score(topic),
    rows: [
      'risk.score',
      'risk.concentration.points',
      'risk.max_drawdown_30d',
      'risk.volatility_daily',
      'risk.liquidity.coverage.k3',
      'risk.top_holder_share',
    ],
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
    rows: ['risk.volatility_daily', 'risk.volatility_annual', 'risk.sharpe'],
    ask: ['How is the risk?'],
  },
  sharpe: {
    lead: ({ topic }) => sharpe(topic),
    rows: ['risk.sharpe', 'risk.volatility_annual'],
    ask: ['How volatile is the vault?'],
  },
  churn: {
    lead: newAndGone,
    rows: [
      'users.bridge.d30.start',
      'users.bridge.d30.new_kept',
      'users.bridge.d30.reactivated',
      'users.bridge.d30.churned',
      'users.bridge.d30.end',
    ],
    ask: ['What is the retention?', 'How much do the largest holders own?'],
  },
  retention: {
    lead: retained,
    rows: ['users.retention.d7', 'users.retention.d30', 'users.asset_retention.d7', 'users.asset_retention.d30'],
    ask: ['Who came and who left?'],
  },
  active: {
    lead: activeWallets,
    rows: ['users.active.h24', 'users.active.d7', 'users.active.d30'],
    ask: ['Who came and who left?'],
  },
  holders: {
    lead: holderCount,
    rows: ['users.total', 'users.ever', 'risk.top_holder_share'],
    ask: ['Who came and who left?'],
  },
  upkeep: {
    lead: runway,
    rows: [
      'operations.upkeep.runway_seconds',
      'operations.upkeep.runway_worst_case_seconds',
      'operations.upkeep.empty_at',
      'operations.upkeep.cost_per_update',
      'operations.updates_per_day',
    ],
    ask: ['Is the price on time?'],
  },
  upkeep_cost: {
    lead: ({ topic: { writer } }) =>
      writer.phrase`One price update costs ${writer.figure('operations.upkeep.cost_per_update')} of upkeep.`,
    rows: ['operations.upkeep.cost_per_update', 'operations.upkeep.spent', 'operations.updates_per_day'],
    ask: ['How long does the upkeep last?'],
  },
  gas: {
    lead: gas,
    rows: [
      'operations.gas.total',
      'operations.gas.usd',
      'operations.gas.average',
      'operations.gas.p50',
      'operations.gas.p95',
      'operations.gas.tvl_bps_per_year',
    ],
    ask: ['How many transactions were there?'],
  },
  slippage: {
    lead: ({ topic: { writer } }) =>
      writer.phrase`Slippage over 30 days was ${writer.figure('operations.slippage.average_bps')} on average and ${writer.figure('operations.slippage.max_bps')} at most.`,
    ask: ['How much gas was spent?'],
  },
  transactions: {
    lead: ({ topic: { writer } }) =>
      writer.phrase`The number of transactions over 30 days is ${writer.figure('operations.transactions')}.`,
    rows: [
      'operations.transactions',
      'operations.deposits.count',
      'operations.withdrawals.count',
      'operations.requests',
    ],
    ask: ['How much gas was spent?'],
  },
  my_role: { lead: myRole, ask: ['Who are the managers?'] },
  managers: {
    lead: managers,
    rows: ['vault.managers.view_only_count'],
    ask: ['What is my role?', 'What happened lately?'],
  },
  viewonly: {
    lead: ({ topic: { writer } }) =>
      writer.phrase`Wallets with view-only access: ${writer.figure('vault.managers.view_only_count')}.`,
    ask: ['Who are the managers?'],
  },
  manager_change: { lead: managerChange, ask: ['Who are the managers?'] },
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
export type FigureIntent = keyof typeof replies;
export const isFigureIntent = (name: IntentName): name is FigureIntent => name in replies;

const noFigures = plain('There are no figures on this yet: the vault has too little history.');

/** Answers from the figures of the context. */
export function replyOf(name: FigureIntent, asked: Asked): Reply {
  const entry: Entry = replies[name];
  const { context, writer } = asked.topic;
  const said = entry.lead(asked);
  const figures = (entry.rows ?? []).map((path) => writer.figure(path));
  return {
    lead: said === null || said.text === '' ? noFigures : said,
    table: entry.table?.(asked) ?? tableOf(figures, context),
    ask: entry.ask,
  };
}
