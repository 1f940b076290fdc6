import { formatUnits } from 'viem';

/** Figures as the sentences of a prepared call say them. */

const units = [
  ['day', 86_400n],
  ['hour', 3_600n],
  ['minute', 60n],
] as const;

const utc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
const percents = new Intl.NumberFormat('en-US', {
  style: 'percent',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const exact = new Intl.NumberFormat('en-US', { maximumFractionDigits: 30 });

/** Chain seconds as a moment, to the second: `1 Jan 2026, 00:00:00 UTC`. */
export const moment = (seconds: bigint): string => `${utc.format(Number(seconds) * 1000)} UTC`;

/** A duration in the largest unit that divides it. */
export function duration(seconds: bigint): string {
  const [name, size] = units.find(([, unit]) => seconds >= unit && seconds % unit === 0n) ?? ['second', 1n];
  const count = seconds / size;
  return `${count} ${name}${count === 1n ? '' : 's'}`;
}

/** Basis points as the share that they are: 5000 is `50.00%`. */
export const percent = (bps: number | bigint): string => percents.format(Number(bps) / 10_000);

/** A deviation threshold in basis points; null is the guard switched off. */
export const threshold = (bps: number | null): string => (bps === null ? 'off' : percent(bps));

/** Every digit of it, with its thousands apart. */
const whole = (amount: bigint, decimals: number): string => exact.format(formatUnits(amount, decimals) as `${number}`);

/** A raw price per share over the vault's precision, a power of ten. */
export const price = (pps: bigint, precision: bigint): string => whole(pps, `${precision}`.length - 1);

/** An amount in whole tokens with every digit, or in base units when the token is unknown. */
export const tokens = (amount: bigint, token: { decimals: number; symbol: string } | null): string =>
  token === null ? `${amount} base units` : `${whole(amount, token.decimals)} ${token.symbol}`;

/** The number with its noun. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
