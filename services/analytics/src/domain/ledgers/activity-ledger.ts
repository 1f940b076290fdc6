import type { transactionTypes } from '@castellan/contracts';
import { Extremes } from '../extremes.ts';
import type { Dollars } from '../money.ts';
import { appendTo, type Dated, stretchOf } from '../timeline.ts';

/** Types of the list of transactions. */
export type TransactionType = (typeof transactionTypes)[number];

/** One line of what happened. Amounts in base units. */
export type Activity = Dated & {
  readonly type: TransactionType;
  /** Of the ABI. */
  readonly event: string;
  readonly tx: string;
  readonly index: number;
  readonly wallet: string | null;
  readonly assets: bigint | null;
  readonly shares: bigint | null;
  readonly usd: Dollars | null;
  readonly pps: bigint | null;
  /** What was given less than the oracle's price one block before promises, as a fraction of it. */
  readonly slippage: { readonly short: bigint; readonly expected: bigint; readonly notional: bigint } | null;
};

/** Fractions of slippage are summed as whole numbers of this. */
const SCALE = 10n ** 24n;

/** An activity with slippage; the sums run up to and including it. */
type Slipped = Dated & {
  readonly activity: Activity;
  readonly part: bigint;
  readonly toParts: bigint;
  readonly toWeighted: bigint;
  readonly toNotional: bigint;
};

/** Slippage over a stretch: sums in parts of 10^24. */
export type SlippageTotals = {
  count: number;
  parts: bigint;
  weighted: bigint;
  notional: bigint;
  worst: Activity | undefined;
};

/** Slippage sums are in parts of this. */
export const slippageScale = SCALE;

type Filter = { type?: TransactionType | undefined; wallet?: string | undefined; tx?: string | undefined };

/** What happened, in chain order, found by type and wallet without reading all of it. */
export class ActivityLedger {
  readonly all: Activity[] = [];
  readonly #byType = new Map<TransactionType, Activity[]>();
  readonly #byWallet = new Map<string, Activity[]>();
  readonly #slipped: Slipped[] = [];
  readonly #worst = new Extremes<Slipped>(this.#slipped, (a, b) => (a.part < b.part ? -1 : a.part > b.part ? 1 : 0));

  add(activity: Activity): void {
    this.all.push(activity);
    appendTo(this.#byType, activity.type, activity);
    if (activity.wallet !== null) appendTo(this.#byWallet, activity.wallet, activity);
    if (activity.slippage) this.#slip(activity, activity.slippage);
  }

  #slip(activity: Activity, { short, expected, notional }: NonNullable<Activity['slippage']>): void {
    const last = this.#slipped.at(-1);
    const part = (short * SCALE) / expected;
    this.#slipped.push({
      block: activity.block,
      time: activity.time,
      activity,
      part,
      toParts: (last?.toParts ?? 0n) + part,
      toWeighted: (last?.toWeighted ?? 0n) + part * notional,
      toNotional: (last?.toNotional ?? 0n) + notional,
    });
  }

  /** The narrowest list that holds everything a filter lets through. */
  list({ tx, ...filter }: Filter): readonly Activity[] {
    const list = this.#narrowed(filter);
    return tx === undefined ? list : list.filter((item) => item.tx === tx);
  }

  #narrowed({ type, wallet }: Omit<Filter, 'tx'>): readonly Activity[] {
    if (wallet === undefined) return type === undefined ? this.all : (this.#byType.get(type) ?? []);
    const own = this.#byWallet.get(wallet) ?? [];
    return type === undefined ? own : own.filter((item) => item.type === type);
  }

  /** How many of a type have from < time <= to, among blocks up to `block`. */
  count(type: TransactionType, from: number, to: number, block: number): number {
    const { start, end } = stretchOf(this.#byType.get(type) ?? [], from, to, block);
    return end - start;
  }

  /** Slippage with from < time <= to, among blocks up to `block`. */
  slippage(from: number, to: number, block: number): SlippageTotals {
    const { start, end } = stretchOf(this.#slipped, from, to, block);
    const last = this.#slipped[end - 1];
    const before = this.#slipped[start - 1];
    if (end === start || !last) return { count: 0, parts: 0n, weighted: 0n, notional: 0n, worst: undefined };
    return {
      count: end - start,
      parts: last.toParts - (before?.toParts ?? 0n),
      weighted: last.toWeighted - (before?.toWeighted ?? 0n),
      notional: last.toNotional - (before?.toNotional ?? 0n),
      worst: this.#slipped[this.#worst.between(start, end).high]?.activity,
    };
  }

  /** The activities behind those sums. */
  slipped(from: number, to: number, block: number): Activity[] {
    const { start, end } = stretchOf(this.#slipped, from, to, block);
    return this.#slipped.slice(start, end).map(({ activity }) => activity);
  }
}
