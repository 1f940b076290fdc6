import { bucketWidth, type Range } from './range.ts';
import { countUntil, type Dated } from './timeline.ts';

/** Which items of a list are meant: start <= index < end. */
export type Stretch = { readonly start: number; readonly end: number };

/** Where the lowest and the highest item of a stretch are, the first of equals. */
type Ends = { between(start: number, end: number): { low: number; high: number } };

/** What a bucket keeps at most. */
const BUCKET = 4;

/** Of one bucket over all: the ends first, then the highest, then the lowest. */
function fewest({ start, end }: Stretch, extremes: Ends, most: number): number[] {
  const { low, high } = extremes.between(start, end);
  return [...new Set([end - 1, start, high, low])].slice(0, most).sort((a, b) => a - b);
}

const all = ({ start, end }: Stretch): number[] => Array.from({ length: end - start }, (_, offset) => start + offset);

/**
 * M4: of each bucket the first, the lowest, the highest and the last item, in order and each once, so that neither a peak nor
 * the ends of a bucket are lost. With no more items than `most`, all of them stay.
 * @returns their places in the list.
 * @param key - The time of an item, seconds; items are sorted by it.
 * @param width - Seconds of a bucket, aligned to the epoch.
 */
export function m4<T>(
  items: readonly T[],
  { start, end }: Stretch,
  extremes: Ends,
  { most, width, key }: { most: number; width: number; key: (item: T) => number },
): number[] {
  if (end - start <= most) return all({ start, end });
  const kept: number[] = [];
  let from = start;
  while (from < end) {
    const bucketEnd = (Math.floor(key(items[from] as T) / width) + 1) * width;
    const to = countUntil(items, key, bucketEnd - 1, end);
    const { low, high } = extremes.between(from, to);
    kept.push(...[...new Set([from, low, high, to - 1])].sort((a, b) => a - b));
    from = to;
  }
  return kept;
}

/**
 * At most `most` items of a stretch, by their places in the list, by buckets of round widths over the range. Width 0: all of them are
 * there. Where not even two buckets fit, the ends stay, then the highest, then the lowest.
 */
export function sampled<T>(
  items: readonly T[],
  stretch: Stretch,
  extremes: Ends,
  { range, most, key }: { range: Pick<Range, 'from' | 'to'>; most: number; key: (item: T) => number },
): { width: number; kept: number[] } {
  if (stretch.end - stretch.start <= most) return { width: 0, kept: all(stretch) };
  if (most < 2 * BUCKET) return { width: range.to - range.from, kept: fewest(stretch, extremes, most) };
  const width = bucketWidth(range, Math.floor(most / BUCKET));
  return { width, kept: m4(items, stretch, extremes, { most, width, key }) };
}

/**
 * At most `most` states of a stretch: the last of each bucket of round width, because a mean of states would be one that never was.
 * Width 0: all of them are there.
 */
export function lastOfBuckets<T extends Dated>(
  items: readonly T[],
  { start, end }: Stretch,
  { range, most }: { range: Pick<Range, 'from' | 'to'>; most: number },
): { width: number; kept: T[] } {
  if (end - start <= most) return { width: 0, kept: items.slice(start, end) };
  const width = bucketWidth(range, most);
  const kept: T[] = [];
  for (let at = start; at < end; ) {
    const bucketEnd = (Math.floor((items[at] as T).time / width) + 1) * width;
    at = countUntil(items, ({ time }) => time, bucketEnd - 1, end);
    kept.push(items[at - 1] as T);
  }
  return { width, kept };
}

/** By a bigint. */
export const byBig =
  <T>(key: (item: T) => bigint) =>
  (a: T, b: T): number =>
    key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
