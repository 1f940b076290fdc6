import type { LogEntry } from '@castellan/contracts';
import { assetLogOf } from './asset-log.ts';
import type { BenchmarkSource } from './benchmark.ts';
import { assetSubject, type Fact, factOf, NATIVE, vaultSubject } from './facts.ts';
import { foldAll } from './fold.ts';
import type { Moment } from './moment.ts';
import { secondsOf } from './timeline.ts';

function factsOf(entries: readonly LogEntry[], subject: string): Fact[] {
  return entries.flatMap((entry) => {
    const recorded = factOf(entry);
    return recorded?.subjects.includes(subject) ? [recorded.fact] : [];
  });
}

const feedsOf = (entries: readonly LogEntry[], asset: string) =>
  assetLogOf(asset, factsOf(entries, assetSubject(asset)));

/** The history of a vault from a log without rollbacks. @throws when the log has no deployment of it. */
export function historyOf(entries: readonly LogEntry[], { vault, asset, benchmark }: Omit<Named, 'entries'>) {
  const { prices, benchmark: fed } = feedsOf(entries, asset);
  const native = feedsOf(entries, NATIVE).prices;
  const history = foldAll(factsOf(entries, vaultSubject(vault)), {
    asset: prices,
    native,
    benchmark: benchmark ?? fed,
  });
  if (!history) throw new Error(`The log has no deployment of ${vault}.`);
  return history;
}

/** A log, the addresses it is about, and a benchmark of the operator's own. */
export type Named = {
  vault: string;
  asset: string;
  entries: readonly LogEntry[];
  benchmark?: BenchmarkSource | undefined;
};

/** The vault as it was at a block, by default the last of the log; `time` may be later than that block. */
export function momentOf(named: Named, asked: { block?: number; time?: number } = {}): Moment {
  const last = named.entries.findLast(({ block_number }) => block_number <= (asked.block ?? Number.MAX_SAFE_INTEGER));
  if (!last) throw new Error('The log is empty.');
  const block = asked.block ?? last.block_number;
  return { history: historyOf(named.entries, named), block, time: asked.time ?? secondsOf(last.block_time) };
}
