import { drawn, extentOf, valueScale } from './model.ts';
import { niceScale, type Range, type Scale, timeLabel, timeTicks } from './scale.ts';
import type { Marker, Point, Series, Unit, XAxis } from './types.ts';

export type Tick = { at: number; label: string };
export type Box = { left: number; right: number; top: number; bottom: number };

/** Everything there is to draw, in numbers: decided here, so that what draws it decides nothing. */
export type Frame = {
  width: number;
  height: number;
  box: Box;
  x: { range: Range; ticks: Tick[] };
  y: { scale: Scale; ticks: Tick[] };
  series: { series: Series; points: Point[] }[];
  markers: Marker[];
  /** Pixels of one bar. */
  barWidth: number;
};

export type FrameInput = {
  series: readonly Series[];
  markers: readonly Marker[];
  unit: Unit;
  axis: XAxis;
  isFromZero: boolean;
  window: Range | undefined;
  intervalSeconds: number | undefined;
  width: number;
  height: number;
};

const HALF_HOUR = 1_800_000;
/** Of the axis font at 12 px, and of the widest that may stand in for it until it is there. */
const DIGIT_PX = 7.6;
const WIDE_PX = 11.5;
const NARROW_PX = 4;

/** Width that a label of an axis takes at most. */
function labelPx(label: string): number {
  let px = 0;
  for (const sign of label) px += /[%MWmw@]/.test(sign) ? WIDE_PX : /[.,: ]/.test(sign) ? NARROW_PX : DIGIT_PX;
  return px;
}

/** Milliseconds, or numbers of the axis, that one bar stands for. */
function bucketOf({ series, axis, intervalSeconds }: FrameInput): number {
  if (!series.some(({ kind }) => kind === 'bar')) return 0;
  if (axis.kind === 'number') return 1;
  return (intervalSeconds || 86_400) * 1_000;
}

/** The whole range of the data, with a margin for the outermost bars, or for a single point. */
export function wholeRange(input: FrameInput): Range | undefined {
  const extent = extentOf(input.series);
  if (extent === undefined) return undefined;
  const [from, to] = extent;
  const half = bucketOf(input) / 2;
  const margin = from === to && half === 0 ? (input.axis.kind === 'time' ? HALF_HOUR : 0.5) : half;
  return [from - margin, to + margin];
}

export function frameOf(input: FrameInput): Frame | undefined {
  const { series, unit, axis, isFromZero, width, height } = input;
  const range = input.window ?? wholeRange(input);
  if (range === undefined || width < 40) return undefined;
  const scale = valueScale(series, range, { isFromZero, height, unit });
  const most = Math.max(Math.abs(scale.min), Math.abs(scale.max));
  const yTicks = scale.ticks.map((at) => ({ at, label: unit.tick(at, scale.step, most) }));
  const left = Math.ceil(Math.max(...yTicks.map(({ label }) => labelPx(label)))) + 10;
  const box = { left, right: 16, top: input.markers.length > 0 ? 22 : 10, bottom: 24 };
  const inner = Math.max(1, width - box.left - box.right);
  const points = drawn(series, range, Math.max(1, Math.floor(inner)));
  return {
    width,
    height,
    box,
    x: { range, ticks: wholeTicks(fittingTicks(range, axis, inner), input, range, box) },
    y: { scale, ticks: yTicks },
    series: series.map((each) => ({ series: each, points: points.get(each.id) ?? [] })),
    markers: input.markers.filter(({ x }) => x >= range[0] && x <= range[1]),
    barWidth: Math.max(1, Math.min(48, (bucketOf(input) / (range[1] - range[0])) * inner * 0.7)),
  };
}

const LEAST_TICK_PX = 52;
const TICK_GAP_PX = 14;

/** What a label may reach under those of the other axis. */
const OVERLAP_PX = 4;

/** Without those whose words would be cut at the right edge of the drawing, or run into the labels of the other axis. */
function wholeTicks(ticks: Tick[], { axis, width }: FrameInput, [from, to]: Range, box: Box): Tick[] {
  // A number is short, and the first one stands at the very edge: without it nothing says where the axis begins.
  const least = axis.kind === 'number' ? 0 : box.left - OVERLAP_PX;
  return ticks.filter(({ at, label }) => {
    const middle = box.left + ((at - from) / (to - from)) * (width - box.left - box.right);
    const half = labelPx(label) / 2;
    return middle - half >= least && middle + half <= width;
  });
}

/** As many ticks as fit with their labels. */
function fittingTicks(range: Range, axis: XAxis, inner: number): Tick[] {
  for (let most = Math.floor(inner / LEAST_TICK_PX); most > 2; most -= 1) {
    const ticks = xTicks(range, axis, most);
    const widest = Math.max(0, ...ticks.map(({ label }) => labelPx(label))) + TICK_GAP_PX;
    const between = (((ticks[1]?.at ?? 0) - (ticks[0]?.at ?? 0)) / (range[1] - range[0])) * inner;
    if (ticks.length > 1 && between >= widest) return ticks;
  }
  return xTicks(range, axis, 2);
}

function xTicks(range: Range, axis: XAxis, most: number): Tick[] {
  if (axis.kind === 'time') {
    const { ticks, step } = timeTicks(range, most);
    return ticks.map((at) => ({ at, label: timeLabel(at, step, range) }));
  }
  const { ticks } = niceScale(range, most);
  return ticks
    .filter((at) => at >= range[0] && at <= range[1] && Number.isInteger(at))
    .map((at) => ({ at, label: axis.tick(at) }));
}

export const xToPixel = ({ x: { range }, box, width }: Frame, x: number): number =>
  box.left + ((x - range[0]) / (range[1] - range[0])) * (width - box.left - box.right);

export const pixelToX = ({ x: { range }, box, width }: Frame, pixel: number): number =>
  range[0] + ((pixel - box.left) / (width - box.left - box.right)) * (range[1] - range[0]);

export const yToPixel = ({ y: { scale }, box, height }: Frame, value: number): number =>
  height - box.bottom - ((value - scale.min) / (scale.max - scale.min)) * (height - box.top - box.bottom);
