import { windows as windowWords } from '../../context/catalogue.ts';
import { shortAddress } from '../../context/extract.ts';
import { churn, instant, upkeep } from './liquidity.ts';
import { freshness, nextPriceBy, usableUntil } from './price.ts';
import type { ReadQuestion } from './question.ts';
import { carrier, figureOf, oneSource, sourcesOf } from './sources.ts';
import { table, tableOf } from './table.ts';
import { missing, sizeOf, type Topic } from './topic.ts';
import { either, magnitude, type Phrase, plain, safeName, together } from './writer.ts';

/** A question on figures of the context. */
export type Asked = { topic: Topic; question: ReadQuestion };

/** A figure over the time that was asked for. */
export const over = ({ topic, question }: Asked, path: string, usual: string): { path: string; words: string } => {
  const window = question.window ?? usual;
  const asked = topic.writer.figure(`${path}.${window}`) === null && window === 'current' ? usual : window;
  return { path: `${path}.${asked}`, words: windowWords[asked] ?? '' };
};

export function apy(asked: Asked): Phrase | null {
  const { writer } = asked.topic;
  const isBoth = ['compare', 'change'].some((word) => asked.question.words.has(word)) || asked.question.window === null;
  const { path, words } = over(asked, 'performance.apy', 'since_inception');
  return either(
    isBoth
      ? writer.phrase`The APY is ${writer.figure('performance.apy.d30')} over 30 days and ${writer.figure('performance.apy.d7')} over 7 days, after fees.`
      : null,
    writer.phrase`The APY ${words} is ${writer.figure(path)}, after fees.`,
    missing(asked.topic, path, `The APY ${words}`),
  );
}

export function returned(asked: Asked): Phrase | null {
  const { writer } = asked.topic;
  const { path, words } = over(asked, 'performance.period_return', 'd30');
  return either(
    writer.phrase`The vault returned ${writer.figure(path)} ${words}, after fees.`,
    missing(asked.topic, path, `The return ${words}`),
  );
}

export function grossApy(asked: Asked): Phrase | null {
  const { writer } = asked.topic;
  const gross = over(asked, 'performance.gross_apy', 'd30');
  const net = over(asked, 'performance.apy', 'd30');
  return either(
    writer.phrase`The APY ${gross.words} is ${writer.figure(gross.path)} before fees and ${writer.figure(net.path)} after.`,
    missing(asked.topic, gross.path, `The APY before fees ${gross.words}`),
  );
}

export function netFlow(asked: Asked): Phrase | null {
  const { writer } = asked.topic;
  const { path, words } = over(asked, 'overview.net_flow', 'd30');
  const usd = writer.figure(path.replace('net_flow', 'net_flow_usd'));
  return either(
    writer.phrase`The net flow ${words} is ${writer.figure(path)} (${usd}), deposits less withdrawals.`,
    writer.phrase`The net flow ${words} is ${writer.figure(path)}, deposits less withdrawals.`,
    missing(asked.topic, path, `The net flow ${words}`),
  );
}

const monthOrWeek = ({ question }: Asked): 'd7' | 'd30' => (question.window === 'd7' ? 'd7' : 'd30');

export function activeWallets(asked: Asked): Phrase | null {
  const { writer } = asked.topic;
  const { path, words } = over(asked, 'users.active', 'd30');
  return writer.phrase`Wallets that were active ${words}: ${writer.figure(path)}.`;
}

/** The bridge of holders over the time that was asked for. */
export function bridgeTable(asked: Asked): Phrase | null {
  const { context, writer } = asked.topic;
  const names = ['start', 'new_kept', 'reactivated', 'churned', 'end'];
  return tableOf(
    names.map((name) => writer.figure(`users.bridge.${monthOrWeek(asked)}.${name}`)),
    context,
  );
}

export function newAndGone(asked: Asked): Phrase | null {
  return churn(asked.topic, monthOrWeek(asked));
}

export function retained(asked: Asked): Phrase | null {
  const { writer } = asked.topic;
  const holdersKept = over(asked, 'users.retention', 'd30');
  const sharesKept = over(asked, 'users.asset_retention', 'd30');
  return either(
    writer.phrase`Retention ${holdersKept.words} is ${writer.figure(holdersKept.path)} of the holders and ${writer.figure(sharesKept.path)} of their shares.`,
    missing(asked.topic, holdersKept.path, `Retention ${holdersKept.words}`),
  );
}

export function deposits({ topic: { writer } }: Asked): Phrase | null {
  const of = (name: string) => writer.figure(`operations.deposits.${name}`);
  return together([
    either(
      writer.phrase`Over 30 days ${of('assets')} (${of('usd')}) came in by deposits; their number is ${of('count')}.`,
      writer.phrase`Over 30 days ${of('assets')} came in by deposits; their number is ${of('count')}.`,
    ),
    writer.phrase`The average deposit was ${writer.figure('users.average_deposit')}, the median ${writer.figure('users.median_deposit')}.`,
  ]);
}

export function holderCount({ topic: { writer }, question }: Asked): Phrase | null {
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

export function sourceShare(asked: Asked): Phrase | null {
  const found = sourceAsked(asked);
  if (found === null) return null;
  const { called } = found.source;
  return either(
    asked.topic.writer
      .phrase`${called} holds ${found.of('share')} of the assets: ${found.of('assets')}, worth ${found.of('usd')}.`,
    oneSource(asked.topic, found.source),
  );
}

export function sourceApy(asked: Asked): Phrase | null {
  const found = sourceAsked(asked);
  if (found === null) return null;
  const { called } = found.source;
  return either(
    asked.topic.writer.phrase`The APY of ${called} is ${found.of('apy')}.`,
    plain(`${called} has no APY of its own yet.`),
  );
}

export function sourcesTable({ topic }: Asked): Phrase | null {
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

export const sources = ({ topic }: Asked): Phrase =>
  together([
    carrier(topic),
    topic.writer.phrase`Sources that hold assets: ${topic.writer.figure('overview.strategies')}.`,
  ]);

export function divergence({ topic: { writer } }: Asked): Phrase | null {
  const figure = writer.figure('pps.calculated.divergence_bps');
  const side = (sizeOf(figure) ?? 0) < 0 ? 'below' : 'above';
  return sizeOf(figure) === 0
    ? plain('The calculated price is the accepted one.')
    : writer.phrase`The calculated price is ${magnitude(figure)} ${side} the accepted one.`;
}

export function pricePerShare({ topic: { writer } }: Asked): Phrase | null {
  const of = (name: string) => writer.figure(`pps.current.${name}`);
  return either(
    writer.phrase`The price per share is ${of('pps')}, or ${of('net_pps')} after the pending fee, as reported at ${of('t')}.`,
    writer.phrase`The price per share is ${writer.figure('vault.current_pps')}, set at ${writer.figure('vault.last_pps_update_timestamp')}.`,
  );
}

export function lastPrice({ topic: { writer } }: Asked): Phrase | null {
  return either(
    writer.phrase`The last price, ${writer.figure('pps.current.pps')}, was reported at ${writer.figure('pps.current.t')}.`,
    writer.phrase`The last price was reported at ${writer.figure('pps.current.t')}.`,
    writer.phrase`The last price was set at ${writer.figure('vault.last_pps_update_timestamp')}.`,
  );
}

/** Whether the price is fresh, and when it was reported. */
export const priceAge = (asked: Asked): Phrase => together([freshness(asked.topic), lastPrice(asked)]);

export const expiry = ({ topic }: Asked): Phrase =>
  together([
    usableUntil(topic),
    topic.writer.phrase`A price can be used for ${topic.writer.figure('pps.expiry.expiration_seconds')}.`,
  ]);

export const dueNext = ({ topic }: Asked): Phrase =>
  together([nextPriceBy(topic) ?? plain('It is not known when the next price is due.'), freshness(topic)]);

export const cadence = ({ topic: { writer } }: Asked): Phrase | null =>
  writer.phrase`Prices come every ${writer.figure('pps.cadence.p50_seconds')} in the median of the last 30 days; the longest gap was ${writer.figure('pps.cadence.max_seconds')}.`;

export const runway = ({ topic, question }: Asked): Phrase => {
  const { writer } = topic;
  return together([
    upkeep(topic),
    writer.phrase`The balance is ${writer.figure('vault.upkeep_info.balance')}.`,
    question.words.has('topup') ? plain('The Upkeep page computes a top-up for the days you choose.') : null,
  ]);
};

type Wallet = { wallet_address: string; display_name: string | null };
const called = ({ wallet_address, display_name }: Wallet): string => {
  const name = display_name === null ? null : safeName(display_name);
  return name === null ? shortAddress(wallet_address) : `${name} (${shortAddress(wallet_address)})`;
};

export function managers({ topic: { context } }: Asked): Phrase {
  const { primary, secondary } = context.detail.managers;
  const others =
    secondary.length === 0
      ? 'There is no secondary manager.'
      : `Secondary managers: ${secondary.slice(0, 10).map(called).join(', ')}.`;
  return plain(`The primary manager is ${called(primary)}. ${others}`);
}

/** Who may change a vault: its managers, each within their role. */
export const whoMay = (asked: Asked): Phrase =>
  together([plain('Only the managers of the vault, each within their role.'), managers(asked)]);

export const myRole = ({ topic: { context } }: Asked): Phrase =>
  plain(`Your role on this vault is ${(context.detail.my_role ?? 'none').replaceAll('_', ' ')}.`);

export function managerChange({ topic: { context, writer } }: Asked): Phrase | null {
  if (context.detail.pending_manager_change === null) return plain('No change of the primary manager is proposed.');
  return writer.phrase`A change of the primary manager is proposed and may take effect from ${writer.figure('vault.pending_manager_change.effective_at')}.`;
}

export const gas = ({ topic: { writer } }: Asked): Phrase | null =>
  either(
    writer.phrase`Over 30 days gas cost ${writer.figure('operations.gas.total')} (${writer.figure('operations.gas.usd')}), on average ${writer.figure('operations.gas.average')} for a transaction.`,
    writer.phrase`Over 30 days gas cost ${writer.figure('operations.gas.total')}, on average ${writer.figure('operations.gas.average')} for a transaction.`,
  );

/** What gas cost, by who paid for it. */
export function gasByPayer({ topic: { writer } }: Asked): Phrase | null {
  const of = (payer: string) => writer.figure(`operations.gas.by_payer.${payer}.total`);
  return writer.phrase`Over 30 days depositors paid ${of('depositor')} of gas, managers ${of('manager')}, the keeper ${of('keeper')} and validators ${of('validator')}.`;
}

export const liquid = ({ topic, question }: Asked): Phrase => {
  const { writer } = topic;
  const hourly = writer.phrase`${writer.figure('risk.liquidity.ladder.0.assets')} can be paid at once out of idle assets and ${writer.figure('risk.liquidity.ladder.1.assets')} within an hour.`;
  return (question.words.has('hour') || question.words.has('ladder')) && hourly !== null ? hourly : instant(topic);
};

/** The latest entry of the fee ledger that moved the high-water mark. */
export function markMoved({ topic: { context, writer } }: Asked): Phrase | null {
  const { fees } = context.answers;
  const index = fees.fees.findIndex(({ hwm_before, hwm_after }) => hwm_after !== null && hwm_before !== hwm_after);
  const entry = fees.fees[index];
  if (entry === undefined) return plain('None of the latest entries of the fee ledger moved the high-water mark.');
  const of = (name: string) => writer.figure(`fees.fees.${index}.${name}`);
  const why =
    entry.kind === 'performance' ? 'when the performance fee was taken' : 'when the terms of the fees changed';
  return either(
    writer.phrase`The high-water mark last moved at ${of('t')}, from ${of('hwm_before')} to ${of('hwm_after')}, ${why}.`,
    writer.phrase`The high-water mark last moved at ${of('t')}, ${why}.`,
  );
}
