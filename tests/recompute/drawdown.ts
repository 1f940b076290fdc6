import { isBelow, lastAt, minus, one, per, type Ratio, toNumber } from './numbers.ts';
import { highestUpTo, type Observation, observationsIn, steady } from './prices.ts';
import { midnights, type Range } from './time.ts';

const below = (value: Ratio, high: Ratio): number => toNumber(minus(one, per(value, high)));

type Fall = { peak: Observation; trough: Observation; recovered: Observation | null };
export type Underwater = { time: bigint; drawdown: number }[];

/** Falls below the highest price so far, and the depth at each observation, both counted from the first one given. */
function fallsOf(observations: readonly Observation[]): { falls: Fall[]; points: Underwater } {
  const falls: Fall[] = [];
  const points: Underwater = [];
  let peak = observations[0];
  let open: Fall | null = null;
  for (const each of observations) {
    if (!peak) break;
    if (isBelow(steady(each), steady(peak))) {
      if (!open) {
        open = { peak, trough: each, recovered: null };
        falls.push(open);
      } else if (isBelow(steady(each), steady(open.trough))) open.trough = each;
    } else {
      if (open) open.recovered = each;
      open = null;
      peak = each;
    }
    points.push({ time: each.time, drawdown: below(steady(each), steady(peak)) });
  }
  return { falls, points };
}

/** The deepest fall between observations of the last `window` seconds; null with fewer than two of them. */
export const maxDrawdown = (observations: readonly Observation[], now: bigint, window: bigint): number | null =>
  maxDrawdownIn(observations, { from: now - window, to: now, whole: false });

export function maxDrawdownIn(observations: readonly Observation[], range: Range): number | null {
  const inside = observationsIn(observations, range);
  if (inside.length < 2) return null;
  return Math.max(...fallsOf(inside).points.map(({ drawdown }) => drawdown));
}

/** Fall since inception that an observation stands at. */
const standing = (observations: readonly Observation[], at: Observation | undefined): number | null => {
  const high = at && highestUpTo(observations, at.time);
  return at && high ? below(steady(at), high) : null;
};

export const drawdownNow = (observations: readonly Observation[], now: bigint) =>
  standing(observations, lastAt(observations, now));

/** Fall since inception that the range begins with. */
export const carriedIn = (observations: readonly Observation[], range: Range) =>
  standing(observations, observationsIn(observations, range)[0]);

/** Seconds from the lowest point of the range's deepest fall until it was made good; null without one, and while it lasts. */
export function recoveryIn(observations: readonly Observation[], range: Range): number | null {
  const { falls } = fallsOf(observationsIn(observations, range));
  const depth = ({ peak, trough }: Fall) => below(steady(trough), steady(peak));
  const deepest = falls.reduce<Fall | null>((most, fall) => (most && depth(most) >= depth(fall) ? most : fall), null);
  return deepest?.recovered ? Number(deepest.recovered.time - deepest.trough.time) : null;
}

/** Seconds since the net price first was as high as it ever was. */
export function sinceHigh(observations: readonly Observation[], now: bigint): number | null {
  const high = highestUpTo(observations, now);
  const first = high && observations.find((each) => each.time <= now && !isBelow(steady(each), high));
  return first ? Number(now - first.time) : null;
}

/** Share of the range's daily closes below the highest price since inception; null without a close. */
export function timeInLoss(observations: readonly Observation[], { from, to }: Range): number | null {
  const closes = midnights(from, to).flatMap((day) => lastAt(observations, day) ?? []);
  if (closes.length === 0) return null;
  const under = closes.filter((close) => (standing(observations, close) ?? 0) > 0);
  return under.length / closes.length;
}

/** A fall of less than a tenth of a basis point is no episode: reports of six digits fall that far by their last one. */
const SHALLOW = 1e-5;

/** Falls within the range, newest first, and the points under water. */
export function drawdownsIn(observations: readonly Observation[], range: Range) {
  const { falls, points } = fallsOf(observationsIn(observations, range));
  const all = falls.reverse().map(({ peak, trough, recovered }) => ({
    peak,
    trough,
    recovered,
    depth: below(steady(trough), steady(peak)),
    seconds: (recovered?.time ?? range.to) - peak.time,
  }));
  return { episodes: all.filter(({ depth }) => depth >= SHALLOW), points };
}
