import { AppError, type Period } from '@castellan/contracts';
import { DAY, HOUR, secondsOf } from './timeline.ts';

/** A range of time, seconds; `period` is what was asked for, null for a range of one's own. */
export type Range = { readonly period: Period | null; readonly from: number; readonly to: number };

const lengths: Readonly<Record<Exclude<Period, 'all'>, number>> = {
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
  '90d': 90 * DAY,
  '1y': 365 * DAY,
};

type Asked = { period?: Period | undefined; from?: string | undefined; to?: string | undefined };

/**
 * The range that was asked for: a period ends at the moment, `from` without `to` too; without either it is the last 30 days.
 * @throws AppError BLOCK_IN_FUTURE when it ends after the moment, BEFORE_CREATION when it ends before the vault began,
 * RANGE_REVERSED when it ends before it begins.
 */
export function rangeOf(asked: Asked, moment: { time: number }, created: number): Range {
  if (asked.from === undefined) {
    const period = asked.period ?? '30d';
    const from = period === 'all' ? Math.min(created, moment.time) : moment.time - lengths[period];
    return { period, from, to: moment.time };
  }
  const from = secondsOf(asked.from);
  const to = asked.to === undefined ? moment.time : secondsOf(asked.to);
  if (to > moment.time)
    throw new AppError('BLOCK_IN_FUTURE', `The range ends after the last indexed block, ${iso(moment.time)}.`);
  if (to <= created)
    throw new AppError('BEFORE_CREATION', `The vault was created at ${iso(created)}, after this range.`);
  if (from >= to) throw new AppError('RANGE_REVERSED', `from must be before ${iso(to)}.`);
  return { period: null, from, to };
}

/**
 * What the window of a range lies after: windows are (from, to]. That of the whole life includes the second of the creation, in
 * which the vault has its first price.
 */
export const windowStart = ({ period, from }: Pick<Range, 'period' | 'from'>): number =>
  period === 'all' ? from - 1 : from;

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Widths that divide days evenly, or are whole days and weeks: the only ones used, so that buckets fall on round times. */
const widths = [
  60,
  120,
  300,
  600,
  900,
  1_800,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  4 * HOUR,
  6 * HOUR,
  8 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  28 * DAY,
  91 * DAY,
  364 * DAY,
] as const;

/** The narrowest round width with which a range has at most `most` buckets. */
export function bucketWidth({ from, to }: Pick<Range, 'from' | 'to'>, most: number): number {
  const count = (width: number) => Math.floor((to - 1) / width) - Math.floor(from / width) + 1;
  // Aligned buckets can be one more than the range divided by their width.
  return widths.find((width) => count(width) <= most) ?? Math.ceil((to - from) / Math.max(1, most - 1) / DAY) * DAY;
}

/** Starts of the buckets of a range, aligned to UTC. */
export function bucketStarts({ from, to }: Pick<Range, 'from' | 'to'>, width: number): number[] {
  const starts: number[] = [];
  for (let at = Math.floor(from / width) * width; at < to; at += width) starts.push(at);
  return starts;
}
