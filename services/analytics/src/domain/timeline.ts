/** Seconds of an hour. */
export const HOUR = 3_600;
/** Seconds of a day. */
export const DAY = 86_400;

/** Something that happened on the chain: `time` is its block's, in seconds. */
export type Dated = { readonly block: number; readonly time: number };

/** How many leading items have `key` at most `limit`; items are sorted by `key`. `end` bounds the search. */
export function countUntil<T>(
  items: readonly T[],
  key: (item: T) => number,
  limit: number,
  end: number = items.length,
): number {
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (key(items[middle] as T) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const blockOf = ({ block }: Dated): number => block;
const timeOf = ({ time }: Dated): number => time;

/** How many leading items are of block `block` or earlier. */
export const countAtBlock = (items: readonly Dated[], block: number): number => countUntil(items, blockOf, block);

/** The last item of block `block` or earlier. */
export const lastAtBlock = <T extends Dated>(items: readonly T[], block: number): T | undefined =>
  items[countAtBlock(items, block) - 1];

/** The last item at or before a time, among those of block `block` or earlier. */
export const lastAtTime = <T extends Dated>(items: readonly T[], time: number, block: number): T | undefined =>
  items[countUntil(items, timeOf, time, countAtBlock(items, block)) - 1];

/** Where the items with from < time <= to are, among those of block `block` or earlier: start <= index < end. */
export function stretchOf(
  items: readonly Dated[],
  from: number,
  to: number,
  block: number,
): { start: number; end: number } {
  const end = countUntil(items, timeOf, to, countAtBlock(items, block));
  return { start: countUntil(items, timeOf, from, end), end };
}

/** Items with from < time <= to, among those of block `block` or earlier. */
export function within<T extends Dated>(items: readonly T[], from: number, to: number, block: number): readonly T[] {
  const { start, end } = stretchOf(items, from, to, block);
  return items.slice(start, end);
}

/** Adds an item to the list of its key. */
export function appendTo<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** Seconds as ISO 8601 UTC. */
export const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();
/** ISO 8601 as seconds, fractions dropped. */
export const secondsOf = (iso: string): number => Math.floor(Date.parse(iso) / 1000);
