import { lowerBound, m4, within } from './m4.ts';
import { niceScale, type Range, type Scale } from './scale.ts';
import type { Point, Series, Unit } from './types.ts';

/** From the first to the last point of all series; undefined when no series has a value. */
export function extentOf(series: readonly Series[]): Range | undefined {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { points } of series) {
    if (!points.some(([, value]) => value !== null)) continue;
    from = Math.min(from, points[0]?.[0] ?? from);
    to = Math.max(to, points.at(-1)?.[0] ?? to);
  }
  return from <= to ? [from, to] : undefined;
}

/** Every x at which some series has a point, ascending, each once: where the crosshair can stand. */
export function stopsOf(series: readonly Series[]): number[] {
  if (series.length === 1) return (series[0]?.points ?? []).map(([x]) => x);
  const all = new Set<number>();
  for (const { points } of series) for (const [x] of points) all.add(x);
  return Float64Array.from(all).sort() as unknown as number[];
}

/** Index of the stop nearest to `x`; -1 without stops. */
export function nearest(stops: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = stops.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stops[middle] ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  if (low === stops.length) return stops.length - 1;
  const before = stops[low - 1];
  const after = stops[low] ?? x;
  return before !== undefined && x - before <= after - x ? low - 1 : low;
}

const holds = (kind: Series['kind']): boolean => kind === 'step' || kind === 'step-area';

/** What a series says at `x`: its point there, or for a step the last one before. */
export function pointAt({ points, kind }: Series, x: number): Point | undefined {
  const index = lowerBound(points, x);
  const here = points[index];
  if (here?.[0] === x) {
    // Of several at one time (a price and the skim after it) the last is what holds.
    let last = index;
    while (points[last + 1]?.[0] === x) last += 1;
    return points[last];
  }
  return holds(kind) ? points[index - 1] : undefined;
}

function addTo(sums: Map<string, number>, key: string, value: number): number {
  const sum = (sums.get(key) ?? 0) + value;
  sums.set(key, sum);
  return sum;
}

/** Lowest and highest drawn value in a range: of stacks, their sums. */
export function valueRange(series: readonly Series[], range: Range): Range {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const take = (value: number) => {
    if (value < low) low = value;
    if (value > high) high = value;
  };
  const sums = new Map<string, number>();
  for (const { points, kind, stack, id } of series) {
    const [start, end] = within(points, range);
    for (let index = start; index < end; index += 1) {
      const [x, value] = points[index] as Point;
      if (value === null || (!holds(kind) && (x < range[0] || x > range[1]))) continue;
      if (kind === 'stacked') take(addTo(sums, `area ${x}`, value));
      else if (kind === 'bar') take(addTo(sums, `${stack ?? id} ${value < 0 ? '-' : '+'} ${x}`, value));
      else take(value);
    }
  }
  return low <= high ? [low, high] : [0, 1];
}

export function valueScale(
  series: readonly Series[],
  range: Range,
  options: { isFromZero: boolean; height: number; unit?: Pick<Unit, 'limits' | 'isWhole'> | undefined },
): Scale {
  const [low, high] = valueRange(series, range);
  const isFromZero = options.isFromZero || series.some(({ kind }) => kind !== 'line' && kind !== 'step');
  const from = isFromZero ? Math.min(0, low) : low;
  const to = isFromZero ? Math.max(0, high) : high;
  const held: Range = from === 0 && to === 0 ? [0, 1] : [from, to];
  return niceScale(held, Math.max(2, Math.floor(options.height / 56)), options.unit);
}

/** The points worth drawing at a width. Stacked areas keep the same times, or they would not add up. */
export function drawn(series: readonly Series[], range: Range, columns: number): Map<string, Point[]> {
  const stacked = series.filter(({ kind }) => kind === 'stacked');
  const [base] = stacked;
  const totals = base?.points.map(([x], index): Point => {
    const sum = stacked.reduce((before, { points }) => before + (points[index]?.[1] ?? 0), 0);
    return [x, sum];
  });
  const shared = totals === undefined ? [] : m4(totals, range, columns);
  return new Map(
    series.map(({ id, kind, points }) => {
      const [start, end] = within(points, range);
      const indices =
        kind === 'stacked'
          ? shared
          : kind === 'bar'
            ? Array.from({ length: end - start }, (_, index) => start + index)
            : m4(points, range, columns);
      return [id, indices.flatMap((index) => (points[index] === undefined ? [] : [points[index] as Point]))];
    }),
  );
}
