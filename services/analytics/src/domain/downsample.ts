import type { Extremes } from './extremes.ts';
import { bucketWidth, type Range } from './range.ts';
import { countUntil } from './timeline.ts';

/** Which items of a list are meant: start <= index < end. */
export type Stretch = { readonly start: number; readonly end: number };

/** What a bucket keeps at most. */
const BUCKET = 4;

/** Of one bucket over all: the ends first, then the highest, then the lowest. */
function fewest<T>(items: readonly T[], { start, end }: Stretch, extremes: Extremes<T>, most: number): T[] {
  const { low, high } = extremes.between(start, end);
  const kept = [...new Set([end - 1, start, high, low])].slice(0, most);
  return kept.sort((a, b) => a - b).map((at) => items[at] as T);
}

/**
 * M4: of each bucket the first, the lowest, the highest and the last item, in order and each once, so that neither a peak nor
 * the ends of a bucket are lost. With no more items than `most`, all of them stay.
 * @param key - The time of an item, seconds; items are sorted by it.
 * @param width - Seconds of a bucket, aligned to the epoch.
 */
export function m4<T>(
  items: readonly T[],
  { start, end }: Stretch,
  extremes: Extremes<T>,
  { most, width, key }: { most: number; width: number; key: (item: T) => number },
): T[] {
  if (end - start <= most) return items.slice(start, end);
  const kept: T[] = [];
  let from = start;
  while (from < end) {
    const bucketEnd = (Math.floor(key(items[from] as T) / width) + 1) * width;
    const to = countUntil(items, key, bucketEnd - 1, end);
    const { low, high } = extremes.between(from, to);
    for (const at of [...new Set([from, low, high, to - 1])].sort((a, b) => a - b)) kept.push(items[at] as T);
    from = to;
  }
  return kept;
}

/**
 * At most `most` items of a stretch, by buckets of round widths over the range. Width 0: all of them are there. Where not even
 * two buckets fit, the ends stay, then the highest, then the lowest.
 */
export function sampled<T>(
  items: readonly T[],
  stretch: Stretch,
  extremes: Extremes<T>,
  { range, most, key }: { range: Pick<Range, 'from' | 'to'>; most: number; key: (item: T) => number },
): { width: number; kept: T[] } {
  if (stretch.end - stretch.start <= most) return { width: 0, kept: items.slice(stretch.start, stretch.end) };
  if (most < 2 * BUCKET) return { width: range.to - range.from, kept: fewest(items, stretch, extremes, most) };
  const width = bucketWidth(range, Math.floor(most / BUCKET));
  return { width, kept: m4(items, stretch, extremes, { most, width, key }) };
}

/** By a bigint. */
export const byBig =
  <T>(key: (item: T) => bigint) =>
  (a: T, b: T): number =>
    key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
