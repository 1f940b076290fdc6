import type { Range } from './scale.ts';
import type { Point } from './types.ts';

/** The first index whose x is at least `x`. */
export function lowerBound(points: readonly Point[], x: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.[0] ?? Number.POSITIVE_INFINITY) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Indices of the points in a range and one neighbour on each side, so that lines reach the edges. */
export function within(points: readonly Point[], [from, to]: Range): [start: number, end: number] {
  const start = Math.max(0, lowerBound(points, from) - 1);
  return [start, Math.min(points.length, lowerBound(points, to) + 1)];
}

/**
 * M4 (Jugel et al., VLDB 2014): of the points that share a pixel column, the first, lowest, highest and last, which
 * draw the same line as all of them. Gaps are kept.
 * @returns Indices into `points`, ascending.
 */
export function m4(points: readonly Point[], range: Range, columns: number): number[] {
  const [start, end] = within(points, range);
  if (end - start <= columns * 4) return Array.from({ length: end - start }, (_, index) => start + index);
  const width = (range[1] - range[0]) / columns;
  const kept: number[] = [];
  let column = Number.NaN;
  let picked = { first: start, low: -1, high: -1, last: start, gap: -1 };
  const flush = () => {
    const all = [picked.first, picked.low, picked.high, picked.gap, picked.last].filter((index) => index >= 0);
    kept.push(...[...new Set(all)].sort((left, right) => left - right));
  };
  for (let index = start; index < end; index += 1) {
    const [x, value] = points[index] as Point;
    const here = Math.floor((x - range[0]) / width);
    if (here !== column) {
      if (index > start) flush();
      column = here;
      picked = { first: index, low: -1, high: -1, last: index, gap: -1 };
    }
    picked.last = index;
    if (value === null) picked.gap = index;
    else {
      const lowest = points[picked.low]?.[1];
      const highest = points[picked.high]?.[1];
      if (lowest == null || value < lowest) picked.low = index;
      if (highest == null || value > highest) picked.high = index;
    }
  }
  flush();
  return kept;
}
