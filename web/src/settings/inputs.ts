import { formatBpsShare } from '../format/figures.ts';

export type Read<T> = { value: T } | { error: string };

/** A percentage as typed, with two decimals at most, in basis points. */
export function readPercent(text: string, maxBps: number): Read<number> {
  const trimmed = text.trim().replace(/\s*%$/, '');
  if (trimmed === '') return { error: 'Enter a percentage.' };
  const match = /^(\d+)(?:\.(\d+))?$/.exec(trimmed);
  if (match === null) return { error: 'Enter digits, with a point before decimals.' };
  const [, whole = '0', fraction = ''] = match;
  if (fraction.length > 2) return { error: 'Two decimals at most: the smallest step is 0.01%.' };
  const bps = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'));
  if (bps > BigInt(maxBps)) return { error: `At most ${formatBpsShare(maxBps)}.` };
  return { value: Number(bps) };
}

/** An amount of a token as typed, in base units. Exact: it never passes through a float. */
export function readAmount(text: string, decimals: number, max?: { raw: string; words: string }): Read<string> {
  const trimmed = text.trim();
  if (trimmed === '') return { error: 'Enter an amount.' };
  const match = /^(\d+)(?:\.(\d*))?$/.exec(trimmed);
  if (match === null) return { error: 'Enter digits, with a point before decimals and no separators.' };
  const [, whole = '0', fraction = ''] = match;
  if (fraction.length > decimals)
    return { error: `The token has ${decimals} decimals, you entered ${fraction.length}.` };
  const raw = BigInt(`${whole}${fraction.padEnd(decimals, '0')}`);
  if (raw === 0n) return { error: 'Enter more than zero.' };
  if (max !== undefined && raw > BigInt(max.raw)) return { error: `Your wallet has ${max.words}.` };
  return { value: raw.toString() };
}

export const timeUnits = [
  { value: 'seconds', label: 'Seconds', size: 1 },
  { value: 'minutes', label: 'Minutes', size: 60 },
  { value: 'hours', label: 'Hours', size: 3_600 },
  { value: 'days', label: 'Days', size: 86_400 },
] as const;
export type TimeUnit = (typeof timeUnits)[number]['value'];

export const sizeOf = (unit: TimeUnit): number => timeUnits.find(({ value }) => value === unit)?.size ?? 1;

/** A whole number of a unit of time, in seconds. */
export function readDuration(text: string, unit: TimeUnit): Read<number> {
  const trimmed = text.trim();
  if (trimmed === '') return { error: 'Enter a duration.' };
  if (!/^\d{1,9}$/.test(trimmed)) return { error: 'Enter a whole number.' };
  return { value: Number(trimmed) * sizeOf(unit) };
}

/** A duration in the largest unit that divides it, as one would type it. */
export function durationInput(seconds: number): { text: string; unit: TimeUnit } {
  const found = timeUnits.findLast(({ size }) => seconds >= size && seconds % size === 0) ?? timeUnits[0];
  return { text: String(seconds / found.size), unit: found.value };
}
