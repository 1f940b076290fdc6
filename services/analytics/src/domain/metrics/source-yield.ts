import { mulDivDown } from '@castellan/chain';
import { type Figure, figure, type Input } from '../figure.ts';
import type { Moment } from '../moment.ts';
import type { Observation, SourceSeen } from '../observation.ts';
import { appendTo, stretchOf } from '../timeline.ts';
import { totalOf } from './allocation.ts';

/** A stretch of time from < t <= to, seconds. */
type Window = { readonly from: number; readonly to: number };

/**
 * The observations that a window is compared by: the last one before it, or else its first, up to its last. One in which a source
 * could not be valued is left out.
 */
export function observedIn({ history, block }: Moment, { from, to }: Window): readonly Observation[] {
  const { start, end } = stretchOf(history.observations, from, to, block);
  return history.observations.slice(Math.max(0, start - 1), end).filter((seen) => totalOf(seen) !== null);
}

/** One source as it was at an observation. */
type Reading = { readonly seen: Observation; readonly source: SourceSeen };
type Step = { readonly before: Reading; readonly after: Reading };

/**
 * What happened to one source: `still` are stretches in which the vault neither put in nor took out, `moved` the steps in which it
 * did.
 */
type Course = { readonly still: readonly Step[]; readonly moved: readonly Step[] };

/** A source that left the list and came back was not observed in between. */
function readingsOf(observations: readonly Observation[]): Map<string, Reading[][]> {
  const runs = new Map<string, Reading[][]>();
  for (const [at, seen] of observations.entries())
    for (const source of seen.sources) {
      const run = runs.get(source.address)?.at(-1);
      const reading = { seen, source };
      if (run && run.at(-1)?.seen === observations[at - 1]) run.push(reading);
      else appendTo(runs, source.address, [reading]);
    }
  return runs;
}

const isStill = (before: SourceSeen, after: SourceSeen): boolean =>
  before.shares !== null && before.shares === after.shares;

function courseOf(runs: readonly (readonly Reading[])[]): Course {
  const still: Step[] = [];
  const moved: Step[] = [];
  for (const [first, ...rest] of runs) {
    let start = first as Reading;
    let last = start;
    for (const reading of rest) {
      if (!isStill(last.source, reading.source)) {
        if (start !== last) still.push({ before: start, after: last });
        moved.push({ before: last, after: reading });
        start = reading;
      }
      last = reading;
    }
    if (start !== last) still.push({ before: start, after: last });
  }
  return { still, moved };
}

const held = ({ source }: Reading): bigint => source.assets ?? 0n;
const sharesOf = ({ source }: Reading): bigint => source.shares ?? 0n;
const priceOf = ({ source }: Reading): bigint => source.pricePerShare ?? 0n;

/** Whether the shares that were left say what those before are worth now. */
const hasShares = ({ before, after }: Step): boolean => before.source.shares !== null && sharesOf(after) > 0n;
/** Whether the share price of the source does. */
const hasPrices = ({ before, after }: Step): boolean => priceOf(before) > 0n && priceOf(after) > 0n;

/** What a step earned on what was held before it. Nothing can be said of one without shares and prices: that is left in the residual. */
function earnedIn(step: Step): bigint {
  const { before, after } = step;
  if (hasShares(step)) return mulDivDown(sharesOf(before), held(after), sharesOf(after)) - held(before);
  return hasPrices(step) ? mulDivDown(held(before), priceOf(after), priceOf(before)) - held(before) : 0n;
}

const input = (name: string, { seen, source }: Reading, value: bigint, unit = 'asset base units'): Input => ({
  name,
  value,
  unit,
  at: { time: seen.time, block: seen.block },
  source: `state_observed: ${source.address}`,
});

function inputsOf({ still, moved }: Course): Input[] {
  const byShares = moved.filter(hasShares);
  const byPrice = moved.filter((step) => !hasShares(step) && hasPrices(step));
  return [
    ...still.flatMap(({ before, after }) => [
      input('before', before, held(before)),
      input('after', after, held(after)),
    ]),
    ...byShares.flatMap(({ before, after }) => [
      input('held', before, held(before)),
      input('kept', before, sharesOf(before), 'shares of the source'),
      input('worth', after, held(after)),
      input('whole', after, sharesOf(after), 'shares of the source'),
    ]),
    ...byPrice.flatMap(({ before, after }) => [
      input('closed', before, held(before)),
      input('price_before', before, priceOf(before), 'share price'),
      input('price_after', after, priceOf(after), 'share price'),
    ]),
  ];
}

function yieldFigure(course: Course, window: Window): Figure {
  const { still, moved } = course;
  const isPartial = moved.some((step) => !hasShares(step) && !hasPrices(step));
  return figure({
    value:
      still.reduce((total, { before, after }) => total + held(after) - held(before), 0n) +
      moved.reduce((total, step) => total + earnedIn(step), 0n),
    unit: 'asset base units',
    method: 'source_yield',
    observed: true,
    status: isPartial ? 'partial' : 'ok',
    reason: isPartial ? 'the source gave neither shares nor a share price when assets were moved' : null,
    window,
    sampleSize: still.length + moved.length,
    inputs: () => inputsOf(course),
  });
}

/**
 * What each source earned between the first and the last of some observations, base units of the asset: what its position gained while
 * nothing was put in or taken out, and across a move what the shares of before it gained. In the order of the last list.
 */
export function sourceYields(observations: readonly Observation[]): { address: string; earned: Figure }[] {
  const first = observations[0];
  const last = observations.at(-1);
  if (!first || !last) return [];
  const window = { from: first.time, to: last.time };
  const runs = readingsOf(observations);
  const listed = last.sources.map(({ address }) => address);
  const gone = [...runs.keys()].filter((address) => !listed.includes(address));
  return [...listed, ...gone].map((address) => ({
    address,
    earned: yieldFigure(courseOf(runs.get(address) ?? []), window),
  }));
}
