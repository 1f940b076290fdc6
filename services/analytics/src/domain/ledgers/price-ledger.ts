import { NET_PPS_DENOMINATOR, netPpsNumerator } from '@castellan/chain';
import { byBig, type Stretch } from '../downsample.ts';
import { Extremes } from '../extremes.ts';
import { amountOf, type Fact } from '../facts.ts';
import { Falls } from '../falls.ts';
import { Ranks } from '../ranks.ts';
import { ratio } from '../ratio.ts';
import { Runs } from '../runs.ts';
import { countUntil, type Dated, lastAtBlock, lastAtTime } from '../timeline.ts';

/** What set a price: a report, a skim of fees, or the creation of the vault. */
export type PpsSource = 'oracle' | 'skim' | 'init';

/** One accepted price. `t` is the time inside the report, `time` that of its block. */
export type PpsPoint = Dated & {
  readonly t: number;
  readonly tx: string;
  readonly index: number;
  readonly source: PpsSource;
  readonly pps: bigint;
  readonly hwm: bigint;
  /** The performance fee in force; null before it is known. */
  readonly feeBps: bigint | null;
  /** What last moved the mark, and what brought the fee into force; undefined for what the vault began with. */
  readonly marked: MarkMove | undefined;
  readonly feeSince: FeeSet | undefined;
  /** The exact net PPS, over {@link NET_PPS_DENOMINATOR}; null while the fee is unknown. */
  readonly netNumerator: bigint | null;
  /** Place in the list of the first point with the highest net PPS so far; null while none is known. */
  readonly peakAt: number | null;
  /** What changed the mark or the fee after it was reported; undefined for terms of its own time. */
  readonly changed?: MarkMove | FeeSet | undefined;
};

/** A net PPS in raw units for display, rounded down. */
export const roundedNet = ({ netNumerator }: PpsPoint): bigint | null =>
  netNumerator === null ? null : netNumerator / NET_PPS_DENOMINATOR;

/** Something at its place in the order of logs. */
type Placed = Dated & { readonly index: number };

/** Whether something is after another in the order of logs. */
export const isAfter = (a: Placed, b: Placed): boolean =>
  a.block > b.block || (a.block === b.block && a.index > b.index);

/** How many leading items are not after another in the order of logs. */
const countUpTo = (items: readonly Placed[], place: Placed): number =>
  countUntil(items, (item) => (isAfter(item, place) ? 1 : 0), 0);

/** Which of them happened after one price and not after another, by their places in the order of logs. */
const stretchBetween = (items: readonly Placed[], start: Placed, end: Placed): Stretch => ({
  start: countUpTo(items, start),
  end: countUpTo(items, end),
});

/** What steps did to a price, as a factor. */
type Factor = { readonly before: bigint; readonly after: bigint };

/** One after the other. */
const productOf = (steps: readonly Factor[]): Factor => ({
  before: steps.reduce((product, { before }) => product * before, 1n),
  after: steps.reduce((product, { after }) => product * after, 1n),
});

/** The net PPS stepped without any yield: a new mark or fee waived what was accrued. Both over {@link NET_PPS_DENOMINATOR}. */
export type Waiver = Placed & { readonly before: bigint; readonly after: bigint; readonly tx: string | null };

/** A fee skim lowered the gross PPS. */
export type Skim = Placed & { readonly before: bigint; readonly after: bigint };

/** A change of the high-water mark. */
export type MarkMove = Placed & { readonly before: bigint; readonly after: bigint; readonly tx: string | null };

/** A performance fee came into force. */
export type FeeSet = Placed & { readonly bps: bigint; readonly tx: string | null };

/** Prices, the mark and the performance fee, in chain order. */
export class PriceLedger {
  readonly points: PpsPoint[] = [];
  readonly waivers: Waiver[] = [];
  readonly marks: MarkMove[] = [];
  readonly feesSet: FeeSet[] = [];
  readonly skims: Skim[] = [];
  readonly extremes = new Extremes(
    this.points,
    byBig<PpsPoint>(({ pps }) => pps),
  );
  /** Of the net PPS, over a {@link netStretch}. */
  readonly falls = new Falls((at) => this.points[at]?.netNumerator ?? 0n);
  /** Reports of the oracle (a skim is none), and the seconds between each and the one before. */
  readonly reports: PpsPoint[] = [];
  readonly gaps = new Ranks<number>();
  readonly #waived = new Runs<Factor>((at) => this.waivers[at] as Waiver, productOf);
  readonly #skimmed = new Runs<Factor>((at) => this.skims[at] as Skim, productOf);
  readonly #initialFeeBps: bigint | null;
  #hwm: bigint | undefined;
  #feeBps: bigint | null;

  constructor(initialFeeBps: bigint | null) {
    this.#initialFeeBps = initialFeeBps;
    this.#feeBps = initialFeeBps;
  }

  /** PPS of 1.0, which every vault begins with. */
  get precision(): bigint | undefined {
    return this.points[0]?.pps;
  }

  /** The mark now. */
  get hwm(): bigint | undefined {
    return this.#hwm;
  }

  get feeBps(): bigint | null {
    return this.#feeBps;
  }

  #netNumerator(pps: bigint, hwm: bigint): bigint | null {
    return this.#feeBps === null ? null : netPpsNumerator({ pps, hwm, performanceFeeBps: this.#feeBps });
  }

  /** Where the highest net PPS is once a point with this one is added. */
  #peakWith(netNumerator: bigint | null): number | null {
    const highest = this.points.at(-1)?.peakAt ?? null;
    const before = highest === null ? null : (this.points[highest]?.netNumerator ?? null);
    if (netNumerator === null) return highest;
    return before === null || netNumerator > before ? this.points.length : highest;
  }

  #append(fact: Fact, pps: bigint, t: number, source: PpsSource): void {
    if (fact.tx === null) return;
    const hwm = this.#hwm ?? pps;
    const netNumerator = this.#netNumerator(pps, hwm);
    const peakAt = this.#peakWith(netNumerator);
    const { block, time, tx, index } = fact;
    const point: PpsPoint = {
      block,
      time,
      t,
      tx,
      index: index ?? 0,
      source,
      pps,
      hwm,
      feeBps: this.#feeBps,
      marked: this.marks.at(-1),
      feeSince: this.feesSet.at(-1),
      netNumerator,
      peakAt,
    };
    this.points.push(point);
    if (source !== 'oracle') return;
    const before = this.reports.at(-1);
    this.gaps.add(before ? t - before.t : 0);
    this.reports.push(point);
  }

  /** A report of the oracle, or the 1.0 set at creation. */
  reported(fact: Fact): void {
    const pps = amountOf(fact, 'pps');
    const isFirst = this.points.length === 0;
    if (isFirst) this.#hwm = pps;
    this.#append(fact, pps, Number(amountOf(fact, 'timestamp')), isFirst ? 'init' : 'oracle');
  }

  /** A fee was taken: the price is lower, and the mark is where the price is. */
  skimmed(fact: Fact): void {
    const pps = amountOf(fact, 'newPPS');
    const before = this.points.at(-1)?.pps ?? pps;
    this.skims.push({ block: fact.block, time: fact.time, index: fact.index ?? 0, before, after: pps });
    this.#moveMark(fact, pps);
    this.#append(fact, pps, Number(amountOf(fact, 'timestamp')), 'skim');
  }

  /** A new mark without a fee taken: what was accrued is waived. A skim's own notice is answered by `skimmed`. */
  markSet(fact: Fact, mark: bigint): void {
    this.#waiving(fact, () => this.#moveMark(fact, mark));
  }

  feeSet(fact: Fact, feeBps: bigint): void {
    this.#waiving(fact, () => {
      const { block, time, tx, index } = fact;
      this.feesSet.push({ block, time, tx, index: index ?? 0, bps: feeBps });
      this.#feeBps = feeBps;
    });
  }

  /** The performance fee after a block, and since when; without `since` it is what the vault began with, null while unknown. */
  feeAt(block: number): { bps: bigint | null; since: FeeSet | undefined } {
    const since = lastAtBlock(this.feesSet, block);
    return { bps: since ? since.bps : this.#initialFeeBps, since };
  }

  #moveMark({ block, time, tx, index }: Fact, after: bigint): void {
    const before = this.#hwm ?? after;
    if (before !== after) this.marks.push({ block, time, tx, index: index ?? 0, before, after });
    this.#hwm = after;
  }

  #waiving(fact: Fact, change: () => void): void {
    const pps = this.points.at(-1)?.pps;
    const before = pps === undefined ? null : this.#netNumerator(pps, this.#hwm ?? pps);
    change();
    const after = pps === undefined ? null : this.#netNumerator(pps, this.#hwm ?? pps);
    if (before === null || after === null || before === after) return;
    const { block, time, tx, index } = fact;
    this.waivers.push({ block, time, tx, index: index ?? 0, before, after });
  }

  /** The point in force at a time by the step rule: the last with a report at or before it. */
  at(time: number, block: number): PpsPoint | undefined {
    return this.points[this.#countAt(time, block) - 1];
  }

  /**
   * The same with the mark and the fee in force at that time, which may have changed since it was reported: the net PPS steps with them,
   * as it would with a report of the same price.
   */
  inForce(time: number, block: number): PpsPoint | undefined {
    const point = this.at(time, block);
    if (!point) return undefined;
    const later = <T extends Placed>(item: T | undefined): T | undefined =>
      item && isAfter(item, point) ? item : undefined;
    const mark = later(lastAtTime(this.marks, time, block));
    const fee = later(lastAtTime(this.feesSet, time, block));
    const changed = mark && fee ? (isAfter(mark, fee) ? mark : fee) : (mark ?? fee);
    if (!changed) return point;
    const { pps } = point;
    const hwm = mark?.after ?? point.hwm;
    const feeBps = fee?.bps ?? point.feeBps;
    return {
      ...point,
      hwm,
      feeBps,
      marked: mark ?? point.marked,
      feeSince: fee ?? point.feeSince,
      netNumerator: feeBps === null ? null : netPpsNumerator({ pps, hwm, performanceFeeBps: feeBps }),
      changed,
    };
  }

  /** The price in force at a time, and the highest net PPS since inception up to it; undefined while no net PPS is known. */
  standingAt(time: number, block: number): { point: PpsPoint; peak: PpsPoint | undefined } | undefined {
    const point = this.inForce(time, block);
    if (!point) return undefined;
    const peak = this.peakOf(point);
    const { netNumerator } = point;
    const isHighest = netNumerator !== null && netNumerator > (peak?.netNumerator ?? -1n);
    return { point, peak: isHighest ? point : peak };
  }

  #countAt(time: number, block: number): number {
    const end = countUntil(this.points, (point) => point.block, block);
    return countUntil(this.points, (point) => point.t, time, end);
  }

  /** Where the points with from < t <= to are, recorded in blocks up to `block`. */
  stretch(from: number, to: number, block: number): Stretch {
    const end = this.#countAt(to, block);
    return { start: countUntil(this.points, (point) => point.t, from, end), end };
  }

  /** The same without the points before the performance fee was known, which have no net PPS. */
  netStretch(from: number, to: number, block: number): Stretch {
    const { start, end } = this.stretch(from, to, block);
    const known = countUntil(this.points, ({ netNumerator }) => (netNumerator === null ? 0 : 1), 0, end);
    return { start: Math.max(start, known), end };
  }

  /** Where the reports of the oracle with from < t <= to are. */
  reportStretch(from: number, to: number, block: number): Stretch {
    const known = countUntil(this.reports, (point) => point.block, block);
    const end = countUntil(this.reports, (point) => point.t, to, known);
    return { start: countUntil(this.reports, (point) => point.t, from, end), end };
  }

  /** How many points have from < t <= to, recorded in blocks up to `block`. */
  countBetween(from: number, to: number, block: number): number {
    const { start, end } = this.stretch(from, to, block);
    return end - start;
  }

  /** Points with from < t <= to, recorded in blocks up to `block`. */
  between(from: number, to: number, block: number): readonly PpsPoint[] {
    const { start, end } = this.stretch(from, to, block);
    return this.points.slice(start, end);
  }

  /** The first point with the highest net PPS up to and including a point; undefined while no net PPS is known. */
  peakOf({ peakAt }: PpsPoint): PpsPoint | undefined {
    return peakAt === null ? undefined : this.points[peakAt];
  }

  /** What waivers between two points did to the net PPS; 1 / 1 without any. */
  waived(start: PpsPoint, end: PpsPoint): Factor {
    const inside = stretchBetween(this.waivers, start, end);
    return productOf(this.#waived.cover(inside.start, inside.end));
  }

  waiversBetween(start: PpsPoint, end: PpsPoint): readonly Waiver[] {
    const inside = stretchBetween(this.waivers, start, end);
    return this.waivers.slice(inside.start, inside.end);
  }

  /** What skims between two points did to the gross PPS; 1 / 1 without any. */
  skimmedBetween(start: PpsPoint, end: PpsPoint): Factor {
    const inside = stretchBetween(this.skims, start, end);
    return productOf(this.#skimmed.cover(inside.start, inside.end));
  }

  skimsBetween(start: PpsPoint, end: PpsPoint): readonly Skim[] {
    const inside = stretchBetween(this.skims, start, end);
    return this.skims.slice(inside.start, inside.end);
  }

  /** net(end) / net(start) - 1, waivers left out; null while a fee is unknown. */
  netReturn(start: PpsPoint, end: PpsPoint): number | null {
    const before = start.netNumerator;
    const after = end.netNumerator;
    if (before === null || after === null || before === 0n) return null;
    const waived = this.waived(start, end);
    const from = before * waived.after;
    return ratio(after * waived.before - from, from);
  }
}
