import { nearestDouble } from './formula/exact.ts';

/**
 * The quotient of two on-chain integers as a number: the double nearest to it, whatever their size.
 * @throws {RangeError} when `denominator` is 0.
 */
export const ratio = (numerator: bigint, denominator: bigint): number => nearestDouble(numerator, denominator);

/** Raw units over 10^decimals as a number, for output only. */
export function toNumber(amount: bigint, decimals: number): number {
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  const value = Number(decimals === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`);
  return negative ? -value : value;
}

/** Sum of bigints. */
export const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);

/** Nearest-rank quantile: the smallest value that at least `q` of the sample does not exceed. Undefined for no sample. */
export function quantile<T>(sorted: readonly T[], q: number): T | undefined {
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];
}

/** Ascending copy. */
export const ascending = <T extends bigint | number>(values: readonly T[]): T[] =>
  [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
