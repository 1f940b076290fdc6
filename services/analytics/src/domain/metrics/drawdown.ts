import { sampled } from '../downsample.ts';
import type { Fall as FallAt } from '../falls.ts';
import { type Figure, figure } from '../figure.ts';
import type { PpsPoint } from '../ledgers/price-ledger.ts';
import { DAY, given, type Moment, netInput } from '../moment.ts';
import type { Range } from '../range.ts';
import { ratio } from '../ratio.ts';
import { apyOver, type Span } from './apy-and-returns.ts';
import { dailyCloses } from './daily.ts';
import { exactNetFigures, netFigure } from './net-price.ts';

/**
 * Deepest fall of the net PPS below its highest point, both among the observations of the window. Fraction from 0 to 1; a skim
 * does not count, because the net PPS has the fee taken off already.
 * @param seconds - Length of the window that ends at the moment; of no account with `isWholeLife`.
 */
export function maxDrawdown(moment: Moment, seconds: number, { isWholeLife = false } = {}): Figure {
  const start = isWholeLife ? Number.NEGATIVE_INFINITY : moment.time - seconds;
  const { prices } = moment.history;
  const inside = prices.netStretch(start, moment.time, moment.block);
  const count = inside.end - inside.start;
  const isWhole = isWholeLife || prices.at(start, moment.block) !== undefined;
  return figure({
    value: count < 2 ? null : fallOf(prices.points, prices.falls.deepest(inside.start, inside.end)).drawdown,
    unit: 'fraction',
    method: 'max_drawdown',
    status: isWhole ? 'ok' : 'partial',
    reason: isWhole ? null : 'the vault is younger than the window',
    window:
      count < 2
        ? null
        : { from: (prices.points[inside.start] as PpsPoint).t, to: (prices.points[inside.end - 1] as PpsPoint).t },
    sampleSize: count,
    inputs: () => prices.points.slice(inside.start, inside.end).map((point) => netInput('net', point)),
  });
}

/** How far the net PPS of a point is below that of a peak; null when one is unknown or the peak is 0. */
function fallBelow({ netNumerator: peak }: PpsPoint, { netNumerator: net }: PpsPoint): number | null {
  return peak === null || net === null || peak === 0n ? null : ratio(peak - net, peak);
}

/** The net PPS in force at the moment, and its highest since inception. */
const standingNow = ({ history, time, block }: Moment) => history.prices.standingAt(time, block);

/** How far the net PPS is below its highest point since inception. */
export function drawdownNow(moment: Moment): Figure {
  const { point, peak } = standingNow(moment) ?? {};
  return figure({
    value: point && peak ? fallBelow(peak, point) : null,
    unit: 'fraction',
    method: 'drawdown',
    sampleSize: point ? 1 : 0,
    inputs: () => (point && peak ? [netInput('net', point), netInput('peak', peak)] : []),
  });
}

/** Time since the net PPS last reached a new high, seconds. */
export function sinceHigh(moment: Moment): Figure {
  const peak = standingNow(moment)?.peak;
  const reachedAt = peak?.changed?.time ?? peak?.t ?? null;
  return figure({
    value: reachedAt === null ? null : Math.max(0, moment.time - reachedAt),
    unit: 'seconds',
    method: 'age',
    sampleSize: peak ? 1 : 0,
    inputs: () => [
      given('now', moment.time, 'seconds', 'the moment asked about'),
      {
        name: 'then',
        value: reachedAt,
        unit: 'seconds',
        at: peak?.changed ?? peak,
        source: peak?.changed ? 'the terms that brought the highest net PPS' : 'PPSUpdated of the highest net PPS',
      },
    ],
  });
}

/** Time from the lowest point of the deepest fall of a window until the net PPS was back where it fell from, seconds. */
export function recoveryTime(moment: Moment, window: Window, deepest: Figure): Figure {
  const depth = typeof deepest.value === 'number' ? deepest.value : 0;
  const [fall] = depth > 0 ? episodesIn(moment, window, depth) : [];
  const recovered = fall?.recovered ?? null;
  return figure({
    value: fall && recovered !== null ? recovered - fall.trough.t : null,
    unit: 'seconds',
    method: 'age',
    reason: fall ? 'the deepest fall has not been made good' : 'the price did not fall',
    window: fall ? { from: fall.peak.t, to: recovered ?? window.to } : null,
    inputs: () => [
      given('now', recovered ?? 0, 'seconds', 'PPSUpdated at the peak again'),
      {
        name: 'then',
        value: fall?.trough.t ?? 0,
        unit: 'seconds',
        at: fall?.trough,
        source: 'PPSUpdated of the lowest',
      },
    ],
  });
}

/** Below this fall a Calmar ratio is a division by almost nothing: it would measure the last digits of the price. */
const LEAST_FALL = 0.001;

function whyNoCalmar(depth: number | null): string | null {
  if (depth === null || depth >= LEAST_FALL) return null;
  return depth === 0 ? 'the price did not fall' : 'not meaningful: the price fell by less than 0.1 %';
}

/** APY over a range for each part of its deepest fall. Null without a fall worth the name. */
export function calmar(moment: Moment, span: Span | undefined, deepest: Figure): Figure {
  const yearly = apyOver(moment, span);
  const depth = typeof deepest.value === 'number' ? deepest.value : null;
  const none = whyNoCalmar(depth);
  return figure({
    value: depth === null || none !== null || yearly.value === null ? null : (yearly.value as number) / depth,
    unit: 'ratio',
    method: 'calmar',
    status: yearly.status,
    reason: none ?? yearly.reason ?? deepest.reason,
    window: yearly.window,
    sampleSize: deepest.sampleSize,
    inputs: () => [...yearly.inputs(), ...deepest.inputs()],
  });
}

/** A stretch of time from < t <= to, seconds. */
type Window = { readonly from: number; readonly to: number };

/**
 * How far the net PPS was below its highest point since inception at the first observation of a window: the fall that the window
 * begins with. Fraction; null without an observation in the window.
 */
export function carriedIn(moment: Moment, { from, to }: Window): Figure {
  const { prices } = moment.history;
  const { start, end } = prices.netStretch(from, to, moment.block);
  const point = start < end ? prices.points[start] : undefined;
  const peak = point && prices.peakOf(point);
  return figure({
    value: point && peak ? fallBelow(peak, point) : null,
    unit: 'fraction',
    method: 'drawdown',
    reason: 'no price was reported in the window',
    window: point && peak ? { from: peak.t, to: point.t } : null,
    sampleSize: point ? 1 : 0,
    inputs: () => (point && peak ? [netInput('net', point), netInput('peak', peak)] : []),
  });
}

/**
 * Share of the daily closes of a window whose net PPS is below its highest observation since inception: a vault that is under
 * water when the window begins is in loss.
 */
export function timeInLoss(moment: Moment, { from, to }: Window): Figure {
  const { prices } = moment.history;
  const closes = dailyCloses(moment, from, to).flatMap(({ day }) => {
    const { point, peak } = prices.standingAt((day + 1) * DAY - 1, moment.block) ?? {};
    return point && peak ? [{ point, peak }] : [];
  });
  const below = closes.filter(({ point, peak }) => (point.netNumerator as bigint) < (peak.netNumerator as bigint));
  return figure({
    value: closes.length === 0 ? null : below.length / closes.length,
    unit: 'fraction of days',
    method: 'share_of_days',
    window: { from, to },
    sampleSize: closes.length,
    inputs: () => closes.flatMap(({ point, peak }) => [netInput('close', point), netInput('peak', peak)]),
  });
}

/** A fall below the highest point and what became of it. Times in seconds. */
export type Episode = { peak: PpsPoint; trough: PpsPoint; recovered: number | null; depth: number };

/** How far a price is below the peak before it, as a fraction. */
export type Fall = { t: number; drawdown: number; point: PpsPoint; peak: PpsPoint };

function fallOf(points: readonly PpsPoint[], at: FallAt): Fall {
  const point = points[at.trough] as PpsPoint;
  const peak = points[at.peak] as PpsPoint;
  return { t: point.t, drawdown: fallBelow(peak, point) ?? 0, point, peak };
}

/** Falls of at least `least` (fraction) of the net PPS below its running maximum within a window, oldest first. */
export function episodesIn({ history, block }: Moment, { from, to }: Window, least: number): Episode[] {
  const { prices } = history;
  const { points, falls } = prices;
  const { start, end } = prices.netStretch(from, to, block);
  return falls
    .episodes(start, end, (fall) => fallOf(points, fall).drawdown >= least)
    .map((episode) => {
      const { peak, point, drawdown } = fallOf(points, episode);
      const recovered = episode.recovered === undefined ? null : (points[episode.recovered] as PpsPoint).t;
      return { peak, trough: point, recovered, depth: drawdown };
    });
}

/** Drawdown of each point below the highest one before it in a window, thinned to `most`. */
export function drawdownSeries(
  { history, block }: Moment,
  { from, to }: Window,
  { range, most }: { range: Range; most: number },
): { width: number; falls: Fall[] } {
  const { prices } = history;
  const { points } = prices;
  const inside = prices.netStretch(from, to, block);
  const depths = {
    between: (start: number, end: number) => prices.falls.between(inside.start, start, end),
  };
  const { width, kept } = sampled(points, inside, depths, { range, most, key: ({ t }) => t });
  const peakOf = (at: number) => prices.falls.highest(inside.start, at + 1);
  return { width, falls: kept.map((at) => fallOf(points, { peak: peakOf(at), trough: at })) };
}

/** The last of {@link drawdownSeries}, without those before it. */
export function lastFall({ history, block }: Moment, { from, to }: Window): Fall | undefined {
  const { prices } = history;
  const { start, end } = prices.netStretch(from, to, block);
  if (start >= end) return undefined;
  return fallOf(prices.points, { peak: prices.falls.highest(start, end), trough: end - 1 });
}

/** How far one price is below another, with what it rests on. */
export const fallFigure = (value: number, peak: PpsPoint, point: PpsPoint): Figure =>
  figure({
    value,
    unit: 'fraction',
    method: 'drawdown',
    window: { from: peak.t, to: point.t },
    sampleSize: 2,
    inputs: () => [netInput('peak', peak), netInput('net', point)],
  });

/** What a fall was like; an open one lasts until `end`, seconds. */
export const episodeFigures = ({ peak, trough, recovered, depth }: Episode, end: number) => ({
  depth: fallFigure(depth, peak, trough),
  duration_seconds: figure({
    value: (recovered ?? end) - peak.t,
    unit: 'seconds',
    method: 'age',
    inputs: () => [
      given(
        'now',
        recovered ?? end,
        'seconds',
        recovered === null ? 'end of the range' : 'PPSUpdated at the peak again',
      ),
      given('then', peak.t, 'seconds', 'PPSUpdated of the peak'),
    ],
  }),
  peak_net_pps: netFigure(peak),
  peak_net_pps_exact: exactNetFigures(peak),
  trough_net_pps: netFigure(trough),
  trough_net_pps_exact: exactNetFigures(trough),
});

/** An episode smaller than this is noise of the last digits. */
export const LEAST_EPISODE = 0.000_01;
/** 30 days, in seconds. */
export const MONTH = 30 * DAY;
