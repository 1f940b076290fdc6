import type { Extremes } from './extremes.ts';
import { countUntil } from './timeline.ts';

/** Which items of a list are meant: start <= index < end. */
export type Stretch = { readonly start: number; readonly end: number };

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

/** By a bigint. */
export const byBig =
  <T>(key: (item: T) => bigint) =>
  (a: T, b: T): number =>
    key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
