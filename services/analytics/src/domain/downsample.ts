/** What a bucket keeps is decided by this value of each item. */
export type Valued = { readonly t: number };

/**
 * M4: of each bucket the first, the lowest, the highest and the last item, in order and each once, so that neither a peak nor
 * the ends of a bucket are lost. With no more items than `most`, all of them stay.
 * @param width - Seconds of a bucket, aligned to the epoch.
 * @param compare - Orders items by value.
 */
export function m4<T extends Valued>(
  items: readonly T[],
  most: number,
  width: number,
  compare: (a: T, b: T) => number,
): readonly T[] {
  if (items.length <= most) return items;
  const kept: T[] = [];
  let start = 0;
  while (start < items.length) {
    const bucket = Math.floor((items[start] as T).t / width);
    let end = start;
    let low = start;
    let high = start;
    for (; end < items.length && Math.floor((items[end] as T).t / width) === bucket; end += 1) {
      if (compare(items[end] as T, items[low] as T) < 0) low = end;
      if (compare(items[end] as T, items[high] as T) > 0) high = end;
    }
    for (const at of [...new Set([start, low, high, end - 1])].sort((a, b) => a - b)) kept.push(items[at] as T);
    start = end;
  }
  return kept;
}

/** By a bigint. */
export const byBig =
  <T>(key: (item: T) => bigint) =>
  (a: T, b: T): number =>
    key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
