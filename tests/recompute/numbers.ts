/** Digits kept of a quotient before it becomes a double: ten more than a double holds. */
const DIGITS = 27;

/**
 * The double nearest to `numerator / denominator`, from exact integers: no intermediate is a float.
 * @throws {RangeError} when the denominator is 0.
 */
export function ratio(numerator: bigint, denominator: bigint): number {
  if (denominator === 0n) throw new RangeError('A ratio over 0 has no value.');
  const negative = numerator < 0n !== denominator < 0n;
  const [over, under] = [magnitude(numerator), magnitude(denominator)];
  const shift = Math.max(0, DIGITS + String(under).length - String(over).length);
  const quotient = (over * 10n ** BigInt(shift)) / under;
  return Number(`${negative ? '-' : ''}${quotient}e-${shift}`);
}

export const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

export const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);

/** Nearest rank: the value at place ceil(q x n) of the sorted sample; null of an empty one. `q` in percent. */
export function percentile(sample: readonly bigint[], percent: number): bigint | null {
  const sorted = [...sample].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? null;
}
