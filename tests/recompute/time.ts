export const DAY = 86_400n;
/** The year that rates are annualised over, seconds. */
export const YEAR = 365n * DAY;

/** The windows of the headline figures, seconds. */
export const windows = { h24: DAY, d7: 7n * DAY, d30: 30n * DAY } as const;

const periods: Record<string, bigint> = { '24h': DAY, '7d': 7n * DAY, '30d': 30n * DAY, '90d': 90n * DAY, '1y': YEAR };

/** A half-open interval (from, to]. `whole` also has the first price in it. */
export type Range = { from: bigint; to: bigint; whole: boolean };

/** The range of a period that ends at `to`; `all` begins with the vault. */
export function rangeOf(period: string, to: bigint, inception: bigint): Range {
  if (period === 'all') return { from: inception, to, whole: true };
  const seconds = periods[period];
  if (seconds === undefined) throw new Error(`No period ${period}.`);
  return { from: to - seconds, to, whole: false };
}

export const isoOf = (time: bigint): string => new Date(Number(time) * 1000).toISOString();
export const secondsOf = (iso: string): bigint => BigInt(Math.floor(Date.parse(iso) / 1000));

/** The midnights (UTC) in (from, to]. */
export function midnights(from: bigint, to: bigint): bigint[] {
  const days: bigint[] = [];
  for (let day = (from / DAY + 1n) * DAY; day <= to; day += DAY) days.push(day);
  return days;
}
