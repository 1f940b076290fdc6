/** An exact rational; `under` is positive. */
export type Ratio = { over: bigint; under: bigint };

export const one: Ratio = { over: 1n, under: 1n };
export const times = (a: Ratio, b: Ratio): Ratio => ({ over: a.over * b.over, under: a.under * b.under });
export const per = (a: Ratio, b: Ratio): Ratio => {
  if (b.over === 0n) throw new RangeError('Division by zero.');
  const sign = b.over < 0n ? -1n : 1n;
  return { over: sign * a.over * b.under, under: sign * a.under * b.over };
};
export const minus = (a: Ratio, b: Ratio): Ratio => ({
  over: a.over * b.under - b.over * a.under,
  under: a.under * b.under,
});
export const isBelow = (a: Ratio, b: Ratio): boolean => a.over * b.under < b.over * a.under;
export const abs = (value: bigint): bigint => (value < 0n ? -value : value);

/** Bits that a quotient is computed to before it is rounded to the 53 of a double. */
const BITS = 70;

/** The double nearest to `over / under`, whatever their size. @throws RangeError when `under` is 0. */
export function ratio(over: bigint, under: bigint): number {
  if (under === 0n) throw new RangeError('Division by zero.');
  if (over === 0n) return 0;
  const top = abs(over);
  const bottom = abs(under);
  const shift = BITS - (top.toString(2).length - bottom.toString(2).length);
  const [scaled, divisor] = shift >= 0 ? [top << BigInt(shift), bottom] : [top, bottom << BigInt(-shift)];
  // The lowest bit says that something was cut off: without it a tie could be rounded the wrong way.
  const quotient = (scaled / divisor) | (scaled % divisor === 0n ? 0n : 1n);
  const value = Number(quotient) * 2 ** -shift;
  return over < 0n === under < 0n ? value : -value;
}

export const toNumber = ({ over, under }: Ratio): number => ratio(over, under);

/** `ln(a / b)`, accurate also where both are nearly the same: only the logarithm itself is a float. */
export const logOf = (a: Ratio, b: Ratio): number => Math.log1p(toNumber(per(minus(a, b), b)));

const order = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b));
export const ascending = (values: readonly bigint[]): bigint[] => [...values].sort(order);

/** Nearest rank: the value at `ceil(percent x n / 100)` of the sorted sample. Null without a sample. */
export function percentile(sample: readonly bigint[], percent: number): bigint | null {
  const rank = Math.max(1, Math.ceil((percent * sample.length) / 100));
  return ascending(sample)[rank - 1] ?? null;
}

/** Middle of the sorted sample; of an even number, the mean of the two in the middle, rounded down. */
export function median(sample: readonly bigint[]): bigint | null {
  if (sample.length === 0) return null;
  const sorted = ascending(sample);
  const half = sorted.length >> 1;
  const upper = sorted[half] as bigint;
  return sorted.length % 2 ? upper : ((sorted[half - 1] as bigint) + upper) / 2n;
}

export const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);

/** Rounded up, for positive numbers. */
export const ceilDiv = (over: bigint, under: bigint): bigint => (over + under - 1n) / under;

/** The last item at or before `time`; items are in the order of their times. */
export function lastAt<T extends { time: bigint }>(items: readonly T[], time: bigint): T | undefined {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle] as T).time <= time) low = middle + 1;
    else high = middle;
  }
  return items[low - 1];
}

/** Items in (from, to]. */
export const within = <T extends { time: bigint }>(items: readonly T[], from: bigint, to: bigint): T[] =>
  items.filter(({ time }) => time > from && time <= to);
