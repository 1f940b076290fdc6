import type { feeKinds } from '@castellan/contracts';
import { addDollars, type Dollars, noDollars } from '../money.ts';
import { appendTo, countAtBlock, type Dated } from '../timeline.ts';

/** A fee that was taken, or a change of what it is measured by. Amounts in base units of the asset. */
export type FeeEntry = Dated & {
  readonly kind: (typeof feeKinds)[number];
  readonly tx: string;
  readonly index: number;
  readonly total: bigint | null;
  readonly protocolShare: bigint | null;
  readonly usd: Dollars | null;
  readonly recipient: string | null;
  hwmBefore: bigint | null;
  hwmAfter: bigint | null;
  readonly performanceFeeBps: bigint | null;
  readonly entryFeeBps: bigint | null;
};

/** Fees taken so far, in base units of the asset and in dollars. */
export type FeeTotals = {
  performance: bigint;
  performanceProtocol: bigint;
  performanceUsd: Dollars;
  entry: bigint;
  entryUsd: Dollars;
};

const noFees: FeeTotals = {
  performance: 0n,
  performanceProtocol: 0n,
  performanceUsd: noDollars,
  entry: 0n,
  entryUsd: noDollars,
};

/** Every entry of the fee ledger in chain order, with running totals. */
export class FeeLedger {
  readonly entries: FeeEntry[] = [];
  readonly #totals: (Dated & FeeTotals)[] = [];
  readonly #byKind = new Map<FeeEntry['kind'], FeeEntry[]>();

  add(entry: FeeEntry): void {
    this.entries.push(entry);
    appendTo(this.#byKind, entry.kind, entry);
    const last = this.#totals.at(-1) ?? noFees;
    const { block, time, kind } = entry;
    const taken = entry.total ?? 0n;
    const usd = entry.usd ?? noDollars;
    this.#totals.push({
      block,
      time,
      performance: last.performance + (kind === 'performance' ? taken : 0n),
      performanceProtocol: last.performanceProtocol + (kind === 'performance' ? (entry.protocolShare ?? 0n) : 0n),
      performanceUsd: kind === 'performance' ? addDollars(last.performanceUsd, usd) : last.performanceUsd,
      entry: last.entry + (kind === 'entry' ? taken : 0n),
      entryUsd: kind === 'entry' ? addDollars(last.entryUsd, usd) : last.entryUsd,
    });
  }

  /** Entries of one kind, or all. */
  list(kind: FeeEntry['kind'] | undefined): readonly FeeEntry[] {
    return kind === undefined ? this.entries : (this.#byKind.get(kind) ?? []);
  }

  /** The mark moved by the last entry of this transaction. */
  markMoved(tx: string | null, before: bigint, after: bigint): void {
    const entry = this.entries.findLast((item) => item.tx === tx && item.kind !== 'entry');
    if (!entry) return;
    entry.hwmBefore = before;
    entry.hwmAfter = after;
  }

  totalsAt(block: number): FeeTotals {
    return this.#totals[countAtBlock(this.#totals, block) - 1] ?? noFees;
  }
}
