import { formatUnits } from 'viem';
import { isoTime } from '../../../log/domain/log-entry.ts';

/** Figures as the sentences of a prepared call say them. */

const units = [
  ['day', 86_400n],
  ['hour', 3_600n],
  ['minute', 60n],
] as const;

/** Chain seconds as a moment: `2026-01-01T00:00:00Z`. */
export const moment = (seconds: bigint): string => isoTime(seconds).replace('.000Z', 'Z');

/** A duration in the largest unit that divides it. */
export function duration(seconds: bigint): string {
  const [name, size] = units.find(([, unit]) => seconds >= unit && seconds % unit === 0n) ?? ['second', 1n];
  const count = seconds / size;
  return `${count} ${name}${count === 1n ? '' : 's'}`;
}

export const percent = (bps: number | bigint): string => `${Number(bps) / 100} %`;

/** A deviation threshold in basis points; null is the guard switched off. */
export const threshold = (bps: number | null): string => (bps === null ? 'off' : percent(bps));

export const tokens = (amount: bigint, token: { decimals: number; symbol: string } | null): string =>
  token === null ? `${amount} base units` : `${formatUnits(amount, token.decimals)} ${token.symbol}`;

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
