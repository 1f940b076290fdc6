import { ascending, quantile, ratio, sum } from './ratio.ts';
import { mean } from './statistics.ts';

/** The year of annualised figures: 365 days. */
export const YEAR_SECONDS = 365 * 86_400;

/** (1 + return)^(year / elapsed) - 1, without losing digits of small returns. */
export const annualised = (periodReturn: number, elapsedSeconds: number): number =>
  Math.expm1((YEAR_SECONDS / elapsedSeconds) * Math.log1p(periodReturn));

/** Herfindahl-Hirschman index: sum of squared shares. */
export function herfindahl(amounts: readonly bigint[]): number | null {
  const total = sum(amounts);
  if (total === 0n) return null;
  return ratio(sum(amounts.map((amount) => amount * amount)), total * total);
}

/** Losses of daily log returns as fractions, ascending; gains are negative. */
export const lossesOf = (returns: readonly number[]): number[] => ascending(returns.map((value) => -Math.expm1(value)));

/** Mean of the losses at or beyond their quantile. */
export function shortfallBeyond(losses: readonly number[], q: number): number | null {
  const edge = quantile(losses, q);
  const beyond = edge === undefined ? [] : losses.filter((loss) => loss >= edge);
  return beyond.length === 0 ? null : mean(beyond);
}

/** The lesser of two amounts. */
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** What of a whole is left after others had their part; never below 0. */
export function left(whole: bigint, earlier: readonly bigint[]): bigint {
  const rest = whole - sum(earlier);
  return rest > 0n ? rest : 0n;
}
