import { deviationThresholdBps } from '@castellan/chain';
import { ascending, quantile, ratio, sum } from './ratio.ts';
import { mean } from './statistics.ts';

export const YEAR_SECONDS = 365 * 86_400;

/** (1 + return)^(year / elapsed) - 1, without losing digits of small returns. */
export const annualised = (periodReturn: number, elapsedSeconds: number): number =>
  Math.expm1((YEAR_SECONDS / elapsedSeconds) * Math.log1p(periodReturn));

/** Deepest fall of a series below its running maximum, as a fraction of that maximum. */
export function deepestFall(values: readonly bigint[]): number {
  let peak = 0n;
  let deepest = 0;
  for (const value of values) {
    if (value > peak) peak = value;
    else if (peak > 0n) deepest = Math.max(deepest, ratio(peak - value, peak));
  }
  return deepest;
}

/** Herfindahl-Hirschman index: sum of squared shares. */
export function herfindahl(amounts: readonly bigint[]): number | null {
  const total = sum(amounts);
  if (total === 0n) return null;
  return ratio(sum(amounts.map((amount) => amount * amount)), total * total);
}

/** How long a balance pays for updates at this cost and pace, whole seconds; null when they cost nothing or none is due. */
export const runwaySeconds = (balance: bigint, cost: bigint, updatesPerDay: number): number | null =>
  cost === 0n || updatesPerDay <= 0 ? null : Math.floor((ratio(balance, cost) * 86_400) / updatesPerDay);

/**
 * How much of what the deviation guard allows the calculated price has used up; null with the guard off.
 * @param divergence - of the calculated price from the accepted one, basis points as they are published.
 */
export function guardUse(divergence: number | null, threshold: bigint): number | null {
  const allowed = deviationThresholdBps(threshold);
  return divergence === null || allowed === null || allowed === 0 ? null : Math.abs(divergence) / allowed;
}

/** Where a value lies between what is no danger (0) and what is full danger (1). */
export const componentScore = (value: number, none: number, full: number): number =>
  Math.min(1, Math.max(0, (value - none) / (full - none)));

/** Losses of daily log returns as fractions, ascending; gains are negative. */
export const lossesOf = (returns: readonly number[]): number[] => ascending(returns.map((value) => -Math.expm1(value)));

/** Mean of the losses at or beyond their quantile. */
export function shortfallBeyond(losses: readonly number[], q: number): number | null {
  const edge = quantile(losses, q);
  const beyond = edge === undefined ? [] : losses.filter((loss) => loss >= edge);
  return beyond.length === 0 ? null : mean(beyond);
}

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** What of a whole is left after others had their part; never below 0. */
export function left(whole: bigint, earlier: readonly bigint[]): bigint {
  const rest = whole - sum(earlier);
  return rest > 0n ? rest : 0n;
}

export const bpsPerYear = (spent: number, seconds: number, tvl: number): number =>
  ((spent * YEAR_SECONDS) / seconds / tvl) * 10_000;
