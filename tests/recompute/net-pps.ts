import { amount, type ChainRecord, type Happening } from './chain-record.ts';
import { ratio } from './numbers.ts';

export const HOUR = 3_600n;
export const DAY = 86_400n;
export const YEAR = 365n * DAY;
const BPS = 10_000n;

/**
 * A price the chain accepted. `time` is the one inside the report; a skim's is its own. `forgiven` is by how much raised marks
 * had lifted the net price until then, as over/under: it is no yield.
 */
export type Observation = { time: bigint; pps: bigint; hwm: bigint; net: Fraction; forgiven: Fraction; tx: string };
export type Fraction = { over: bigint; under: bigint };

const one: Fraction = { over: 1n, under: 1n };

/** The product of two fractions, divided by a third where one is given. */
const times = (a: Fraction, b: Fraction, by: Fraction = one): Fraction => ({
  over: a.over * b.over * by.under,
  under: a.under * b.under * by.over,
});

/** Below, equal or above 0 as `a` is to `b`. */
const compared = (a: Fraction, b: Fraction): bigint => a.over * b.under - b.over * a.under;

/**
 * What a share is worth after the performance fee that has accrued and is not taken yet: p - f x max(0, p - HWM), raw. An exact
 * rational: a fee is rounded on chain where it is taken of the whole supply, never on one share.
 */
export function netPps(pps: bigint, hwm: bigint, performanceFeeBps: bigint): Fraction {
  const profit = pps > hwm ? pps - hwm : 0n;
  return { over: pps * BPS - profit * performanceFeeBps, under: BPS };
}

/** Rounded down to a whole raw unit, as it is displayed. */
export const displayed = ({ over, under }: Fraction): string => String(over / under);

type Marks = { pps: bigint; hwm: bigint; bps: bigint; nextBps: bigint; forgiven: Fraction };

/**
 * What an event of the strategy does to the mark and the fee. New terms count with the mark that follows them. A skim's mark
 * comes with its lower price, and forgives nothing.
 */
function marksAfter(happening: Happening, marks: Marks): Marks {
  const { name } = happening;
  if (name === 'VaultFeeConfigUpdated') return { ...marks, nextBps: amount(happening, 'performanceFeeBps') };
  if (name !== 'HWMPPSUpdated' && name !== 'HighWaterMarkReset') return marks;
  const { pps, nextBps: bps, forgiven } = marks;
  const hwm = amount(happening, 'newHwmPps');
  const isSkim = name === 'HWMPPSUpdated' && amount(happening, 'feeCollected') > 0n;
  const [before, after] = [netPps(pps, marks.hwm, marks.bps), netPps(pps, hwm, bps)];
  if (isSkim || compared(after, before) <= 0n) return { ...marks, hwm, bps };
  return { ...marks, hwm, bps, forgiven: times(forgiven, after, before) };
}

/** All accepted prices with the high-water mark and the fee as they were then. A skim sets its mark before its price. */
export function observationsOf({ happenings, precision, terms }: ChainRecord): Observation[] {
  let marks: Marks = {
    pps: precision,
    hwm: precision,
    bps: terms.performanceFeeBps,
    nextBps: terms.performanceFeeBps,
    forgiven: one,
  };
  const found: Observation[] = [];
  for (const happening of happenings) {
    const { contract, name, tx } = happening;
    if (contract === 'strategy') marks = marksAfter(happening, marks);
    const field = { PPSUpdated: 'pps', PPSUpdatedAfterSkim: 'newPPS' }[name ?? ''];
    if (contract !== 'aggregator' || field === undefined) continue;
    const pps = amount(happening, field);
    marks = { ...marks, pps };
    const { hwm, bps, forgiven } = marks;
    found.push({ time: amount(happening, 'timestamp'), pps, hwm, net: netPps(pps, hwm, bps), forgiven, tx });
  }
  return found;
}

/**
 * First and last observation of (to - seconds, to] by the step rule; null before there is one. `seconds` null: of the whole life.
 * @param atLeast - Seconds that must lie between the two: the start steps back until they do, as far as there is a past.
 */
export function edges(
  observations: readonly Observation[],
  to: bigint,
  seconds: bigint | null,
  atLeast = 0n,
): { start: Observation; end: Observation; elapsed: bigint } | null {
  const known = observations.filter(({ time }) => time <= to);
  const [first, end] = [known[0], known.at(-1)];
  if (!end || !first) return null;
  const reaches = ({ time }: Observation) => seconds !== null && time <= to - seconds && time <= end.time - atLeast;
  const start = known.findLast(reaches) ?? first;
  return { start, end, elapsed: end.time - start.time };
}

/** Growth of the net PPS from one observation to another, without the steps by which a raised mark forgave fees. */
export function netGrowth(start: Observation, end: Observation): number {
  const { over, under } = times(times(end.net, start.forgiven, end.forgiven), one, start.net);
  return ratio(over - under, under);
}

/** Return between the edges of a window; null without two observations. */
export function periodReturn(observations: readonly Observation[], to: bigint, seconds: bigint | null): number | null {
  const found = edges(observations, to, seconds);
  return found === null || found.elapsed === 0n ? null : netGrowth(found.start, found.end);
}

/** (1 + R)^(365 d / elapsed) - 1. Through log1p, because 1 + R in doubles loses the digits that the power then magnifies. */
export const annualised = (periodicReturn: number, elapsed: bigint): number =>
  Math.expm1((Number(YEAR) / Number(elapsed)) * Math.log1p(periodicReturn));

/**
 * Compound yearly rate over a window; null below a day or below half the window between the two observations. Its start lies
 * at least a day before its end: a window of a day would else have a value only when the last report is younger than the first.
 */
export function apy(observations: readonly Observation[], to: bigint, seconds: bigint | null): number | null {
  const found = edges(observations, to, seconds, DAY);
  if (found === null || found.elapsed < DAY || (seconds !== null && found.elapsed * 2n < seconds)) return null;
  return annualised(netGrowth(found.start, found.end), found.elapsed);
}

/** Deepest fall of the net PPS below its highest point so far, both in (to - seconds, to]; null below two observations. */
export function maxDrawdown(observations: readonly Observation[], to: bigint, seconds: bigint): number | null {
  const inside = observations.filter(({ time }) => time > to - seconds && time <= to);
  const [first] = inside;
  if (!first || inside.length < 2) return null;
  let peak = first.net;
  let least = one;
  for (const { net } of inside) {
    if (compared(net, peak) > 0n) peak = net;
    const kept = times(net, one, peak);
    if (compared(kept, least) < 0n) least = kept;
  }
  return ratio(least.under - least.over, least.under);
}
