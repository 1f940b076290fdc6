import { amount, type ChainRecord } from './chain-record.ts';
import { growth, mulDivUp, ratio } from './numbers.ts';

export const HOUR = 3_600n;
export const DAY = 86_400n;
export const YEAR = 365n * DAY;
const BPS = 10_000n;

/** A price the chain accepted. `time` is the one inside the report; a skim's is its own. */
export type Observation = { time: bigint; pps: bigint; hwm: bigint; netPps: bigint; tx: string };

/** What a share is worth after the performance fee that has accrued and is not taken yet; raw, the fee rounded up. */
export const netPps = (pps: bigint, hwm: bigint, performanceFeeBps: bigint): bigint =>
  pps <= hwm ? pps : pps - mulDivUp(pps - hwm, performanceFeeBps, BPS);

/** All accepted prices with the high-water mark and the fee as they were then. A skim sets its mark before its price. */
export function observationsOf({ happenings, precision, terms }: ChainRecord): Observation[] {
  let hwm = precision;
  let bps = terms.performanceFeeBps;
  const found: Observation[] = [];
  const observe = (time: bigint, pps: bigint, tx: string) =>
    found.push({ time, pps, hwm, netPps: netPps(pps, hwm, bps), tx });
  for (const happening of happenings) {
    const { contract, name, tx } = happening;
    if (contract === 'strategy') {
      if (name === 'HWMPPSUpdated' || name === 'HighWaterMarkReset') hwm = amount(happening, 'newHwmPps');
      if (name === 'VaultFeeConfigUpdated') bps = amount(happening, 'performanceFeeBps');
    }
    if (contract !== 'aggregator') continue;
    if (name === 'PPSUpdated') observe(amount(happening, 'timestamp'), amount(happening, 'pps'), tx);
    if (name === 'PPSUpdatedAfterSkim') observe(amount(happening, 'timestamp'), amount(happening, 'newPPS'), tx);
  }
  return found;
}

/** First and last observation of (to - seconds, to] by the step rule; null before there are two moments to compare. */
export function edges(
  observations: readonly Observation[],
  to: bigint,
  seconds: bigint | null,
): { start: Observation; end: Observation; elapsed: bigint } | null {
  const known = observations.filter(({ time }) => time <= to);
  const end = known.at(-1);
  const first = known[0];
  if (!end || !first) return null;
  const start = seconds === null ? first : (known.findLast(({ time }) => time <= to - seconds) ?? first);
  return { start, end, elapsed: end.time - start.time };
}

/** Return between the edges of a window; null without two observations. */
export function periodReturn(observations: readonly Observation[], to: bigint, seconds: bigint | null): number | null {
  const found = edges(observations, to, seconds);
  return found === null || found.elapsed === 0n ? null : growth(found.start.netPps, found.end.netPps);
}

/** (1 + R)^(365 d / elapsed) - 1. Through log1p, because 1 + R in doubles loses the digits that the power then magnifies. */
export const annualised = (periodicReturn: number, elapsed: bigint): number =>
  Math.expm1((Number(YEAR) / Number(elapsed)) * Math.log1p(periodicReturn));

/** Compound yearly rate over a window; null below a day or below half the window between the two observations. */
export function apy(observations: readonly Observation[], to: bigint, seconds: bigint | null): number | null {
  const found = edges(observations, to, seconds);
  if (found === null || found.elapsed < DAY || (seconds !== null && found.elapsed * 2n < seconds)) return null;
  return annualised(growth(found.start.netPps, found.end.netPps), found.elapsed);
}

/** Deepest fall of the net PPS below its highest point so far, both in (to - seconds, to]; null without an observation. */
export function maxDrawdown(observations: readonly Observation[], to: bigint, seconds: bigint): number | null {
  let peak = 0n;
  let deepest = { fall: 0n, peak: 1n };
  const inside = observations.filter(({ time }) => time > to - seconds && time <= to);
  for (const { netPps: value } of inside) {
    if (value > peak) peak = value;
    const fall = peak - value;
    if (fall * deepest.peak > deepest.fall * peak) deepest = { fall, peak };
  }
  return inside.length === 0 ? null : ratio(deepest.fall, deepest.peak);
}
