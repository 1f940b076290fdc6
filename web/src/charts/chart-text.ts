import { formatCount } from '../format/figures.ts';
import { formatDay, formatUtc } from '../format/time.ts';
import { extentOf } from './model.ts';
import type { Series, Unit, XAxis } from './types.ts';

const DAY_MS = 86_400_000;

export const xText = (x: number, axis: XAxis): string => (axis.kind === 'time' ? formatUtc(x) : axis.format(x));

/** The range that the data really covers, in words. */
export function extentWords(series: readonly Series[], axis: XAxis): string {
  const extent = extentOf(series);
  if (extent === undefined) return 'No data';
  const [from, to] = extent;
  if (axis.kind === 'number') return `${axis.format(from)} to ${axis.format(to).toLowerCase()}`;
  if (from === to) return formatUtc(from);
  if (to - from < 2 * DAY_MS) return `${xText(from, axis)} to ${xText(to, axis)}`;
  return `${formatDay(from)} to ${formatDay(to)} UTC`;
}

const kinds = {
  step: 'step line',
  'step-area': 'step area',
  line: 'line',
  area: 'area',
  stacked: 'stacked area',
  bar: 'bars',
} as const;

function seriesWords({ name, kind, points }: Series, unit: Unit): string {
  let low: number | undefined;
  let high: number | undefined;
  let last: number | undefined;
  let gaps = 0;
  for (const [, value] of points) {
    if (value === null) {
      gaps += 1;
      continue;
    }
    low = low === undefined || value < low ? value : low;
    high = high === undefined || value > high ? value : high;
    last = value;
  }
  if (low === undefined || high === undefined || last === undefined) return `${name}: no values.`;
  const missing = gaps === 0 ? '' : `, ${formatCount(gaps)} missing`;
  return `${name} (${kinds[kind]}): ${formatCount(points.length - gaps)} values${missing}, from ${unit.format(low)} to ${unit.format(high)}, last ${unit.format(last)}.`;
}

/** What the drawing shows, for those who do not see it. */
export const chartWords = (series: readonly Series[], unit: Unit, axis: XAxis): string =>
  `${extentWords(series, axis)}. ${series.map((each) => seriesWords(each, unit)).join(' ')}`;

const intervals = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** The range of the data, and what a point stands for; left out where all of the data is shorter than that, except of bars. */
export function captionWords(series: readonly Series[], axis: XAxis, intervalSeconds = 0): string {
  const [from, to] = extentOf(series) ?? [0, 0];
  const isWhole = to - from >= intervalSeconds * 1_000 || series.some(({ kind }) => kind === 'bar');
  const words = extentWords(series, axis);
  return intervalSeconds > 0 && isWhole ? `${words} · ${intervalWords(intervalSeconds)}` : words;
}

/** "1 point = 1 h". */
function intervalWords(seconds: number): string {
  const [size, name] = intervals.find(([least]) => seconds >= least && seconds % least === 0) ?? [1, 's'];
  // The number stays with its unit where the line breaks.
  return `1 point = ${seconds / size}\u00a0${name}`;
}
