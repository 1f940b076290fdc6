import { formatClock, formatMonth, formatShortDay } from '../format/time.ts';
import type { Unit } from './types.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export type Range = readonly [from: number, to: number];
export type Scale = { min: number; max: number; step: number; ticks: number[] };

/** A round number (1, 2, 2.5 or 5 times a power of ten) not below `rough`. */
function roundUp(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

const multiple = (step: number, times: number): number => Number((step * times).toPrecision(15));

/** What is beyond a limit by the rounding of a sum alone is at it. */
const rounded = ([low, high]: Range, [bottom, top]: Range): Range => {
  const little = (top - bottom) * 1e-6;
  return [low < bottom && low > bottom - little ? bottom : low, high > top && high < top + little ? top : high];
};

type ScaleOptions = Pick<Unit, 'limits' | 'isWhole'>;

/** Part of what can be measured at all that stands for a single value. */
const LEAST_PART = 0.005;

/**
 * Round ticks that hold the range. A single value gets a margin on both sides, so that ticks still differ; never one beyond
 * `limits`, the least and the most that can be measured. `isWhole`: ticks stand on whole numbers.
 */
export function niceScale(range: Range, most: number, { limits, isWhole = false }: ScaleOptions = {}): Scale {
  const [bottom, top] = limits ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const [low, high] = limits === undefined ? range : rounded(range, limits);
  const least = limits === undefined ? (low === 0 ? 1 : 1e-12) : (top - bottom) * LEAST_PART;
  const margin = low === high ? Math.max(Math.abs(low) * 1e-4, least) : 0;
  const from = Math.max(Math.min(low, bottom), Math.min(low - margin, top - 2 * margin));
  const to = Math.min(Math.max(high, top), Math.max(high + margin, bottom + 2 * margin));
  const rough = roundUp((to - from) / Math.max(1, most));
  const step = isWhole ? Math.ceil(rough) : rough;
  const first = Math.floor(from / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(to / step - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => multiple(step, first + index));
  return { min: ticks[0] ?? low, max: ticks.at(-1) ?? high, step, ticks };
}

const timeSteps = [
  ...[1, 2, 5, 10, 15, 30].map((each) => each * MINUTE),
  ...[1, 2, 3, 6, 12].map((each) => each * HOUR),
  ...[1, 2, 7, 14].map((each) => each * DAY),
];
const monthSteps = [1, 2, 3, 6, 12, 24, 60];

/** Ticks on whole minutes, hours, days or months of UTC; at most `most` of them. */
export function timeTicks([from, to]: Range, most: number): { ticks: number[]; step: number } {
  const step = timeSteps.find((each) => (to - from) / each <= most);
  if (step !== undefined) {
    // Weeks begin on Monday; day 4 of the epoch was one.
    const offset = step % (7 * DAY) === 0 ? 4 * DAY : 0;
    const first = Math.ceil((from - offset) / step) * step + offset;
    const length = Math.max(0, Math.floor((to - first) / step) + 1);
    return { ticks: Array.from({ length }, (_, index) => first + index * step), step };
  }
  const months = monthSteps.find((each) => (to - from) / (each * 30 * DAY) <= most) ?? 120;
  const ticks: number[] = [];
  const start = new Date(from);
  for (
    let month = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / months) * months;
    ;
    month += months
  ) {
    const tick = Date.UTC(Math.floor(month / 12), month % 12, 1);
    if (tick > to) return { ticks, step: months * 30 * DAY };
    if (tick >= from) ticks.push(tick);
  }
}

/** A tick in words; hours of more than one day name their day, so that none is read twice. */
export function timeLabel(tick: number, step: number, [from, to]: Range): string {
  if (step >= 28 * DAY) return formatMonth(tick);
  if (step >= DAY || tick % DAY === 0) return formatShortDay(tick);
  return to - from < DAY ? formatClock(tick) : `${formatShortDay(tick)}, ${formatClock(tick)}`;
}
