import type { LogEntry } from '@castellan/contracts';
import { AssetPrices } from '../domain/asset-prices.ts';
import { assetSubject, type Fact, factOf, NATIVE, vaultSubject } from '../domain/facts.ts';
import { foldAll } from '../domain/fold.ts';
import type { Moment } from '../domain/moment.ts';
import { secondsOf } from '../domain/timeline.ts';
import type { Histories } from './ports.ts';

function factsOf(entries: readonly LogEntry[], subject: string): Fact[] {
  return entries.flatMap((entry) => {
    const told = factOf(entry);
    return told?.subjects.includes(subject) ? [told.fact] : [];
  });
}

function pricesOf(entries: readonly LogEntry[], asset: string): AssetPrices {
  const prices = new AssetPrices();
  for (const fact of factsOf(entries, assetSubject(asset))) prices.apply(fact);
  return prices;
}

/** The history of a vault from a log without rollbacks. @throws when the log does not tell that it was deployed. */
export function historyOf(entries: readonly LogEntry[], { vault, asset }: { vault: string; asset: string }) {
  const priced = { asset: pricesOf(entries, asset), native: pricesOf(entries, NATIVE) };
  const history = foldAll(factsOf(entries, vaultSubject(vault)), priced);
  if (!history) throw new Error(`The log does not tell of ${vault}.`);
  return history;
}

type Named = { vault: string; asset: string; entries: readonly LogEntry[] };

/** The vault as it was at a block, by default the last of the log; `time` may be later than that block. */
export function momentOf(named: Named, asked: { block?: number; time?: number } = {}): Moment {
  const last = named.entries.findLast(({ block_number }) => block_number <= (asked.block ?? Number.MAX_SAFE_INTEGER));
  if (!last) throw new Error('The log is empty.');
  const block = asked.block ?? last.block_number;
  return { history: historyOf(named.entries, named), block, time: asked.time ?? secondsOf(last.block_time) };
}

/** Histories that know this one moment. */
export const historiesAt = (moment: Moment): Histories => ({ momentOf: () => Promise.resolve(moment) });

/** Histories of a whole log: any block, any time. */
export const historiesOf = (named: Named): Histories => ({
  momentOf: ({ at, block }) => {
    if (at === undefined) return Promise.resolve(momentOf(named, block === undefined ? {} : { block }));
    const time = secondsOf(at);
    const last = named.entries.findLast(({ block_time }) => secondsOf(block_time) <= time);
    return Promise.resolve(momentOf(named, { time, block: last?.block_number ?? 0 }));
  },
});
