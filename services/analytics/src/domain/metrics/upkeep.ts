import { recentUpdatePace, type UpdatePace, upkeepRunwaySeconds } from '@castellan/chain';
import { type Figure, figure, type Input, type Place } from '../figure.ts';
import type { UpkeepMove } from '../history.ts';
import { DAY, given, type Moment, observationAt } from '../moment.ts';
import { written } from '../plain-figures.ts';
import { countAtBlock, type Dated, lastAtBlock, stretchOf } from '../timeline.ts';

/** Over which time updates are counted: the last 24 hours, or the mean of the last seven days. */
export type Cadence = 'recent' | 'week';

type Counted = { readonly from: number; readonly reports: number; readonly isWhole: boolean; readonly source: string };

const sources: Readonly<Record<UpdatePace['basis'], string>> = {
  last_24h: 'PPSUpdated of the last 24 hours',
  since_interval_change: 'PPSUpdated since MinUpdateIntervalChanged',
  since_creation: 'PPSUpdated of the last 24 hours',
};

function counted(moment: Moment, cadence: Cadence): Counted {
  const { history, time, block } = moment;
  const reportsSince = (from: number): number => {
    const { start, end } = history.prices.reportStretch(from, time, block);
    return end - start;
  };
  const born = history.prices.points[0]?.t ?? time;
  if (cadence === 'week') {
    const asked = time - 7 * DAY;
    const from = Math.max(asked, born);
    return { from, reports: reportsSince(from), isWhole: asked >= born, source: 'PPSUpdated of the last 7 days' };
  }
  const intervalChangedAt = lastAtBlock(history.intervals, block)?.time ?? null;
  const { from, reports, basis } = recentUpdatePace({ time, pricedSince: born, intervalChangedAt, reportsSince });
  return { from, reports, isWhole: basis !== 'since_creation', source: sources[basis] };
}

/**
 * Price updates a day. Null without any in the time that is counted, and with a single one in a vault that is younger than that.
 */
export function updatesFigure(moment: Moment, cadence: Cadence): Figure {
  const { from, reports, isWhole, source } = counted(moment, cadence);
  const seconds = moment.time - from;
  const isEnough = seconds > 0 && reports >= (isWhole ? 1 : 2);
  return figure({
    value: isEnough ? (reports * DAY) / seconds : null,
    unit: 'updates per day',
    method: 'per_day',
    status: isWhole ? 'ok' : 'partial',
    reason: isWhole
      ? 'no price update in the time that is counted'
      : isEnough
        ? 'the vault is younger than the time that is counted'
        : 'fewer than two price updates so far',
    window: { from, to: moment.time },
    sampleSize: reports,
    inputs: () => [given('reports', reports, 'reports', source), given('seconds', seconds, 'seconds', 'the window')],
  });
}

/** The value of {@link updatesFigure}. */
export const updatesPerDay = (moment: Moment, cadence: Cadence): number | null =>
  updatesFigure(moment, cadence).value as number | null;

/** Upkeep that came in or went out over (from, to], base units of the upkeep token. */
export function upkeepMoved(moment: Moment, kind: UpkeepMove['kind'], from: number, to: number): bigint {
  const moves = moment.history.upkeep[kind];
  const { start, end } = stretchOf(moves, from, to, moment.block);
  return end === start ? 0n : (moves[end - 1] as UpkeepMove).toAmount - (moves[start - 1]?.toAmount ?? 0n);
}

/** The moves behind that sum, each with its own amount. */
export function upkeepMoves(moment: Moment, kind: UpkeepMove['kind'], from: number, to: number) {
  const moves = moment.history.upkeep[kind];
  const { start, end } = stretchOf(moves, from, to, moment.block);
  return moves.slice(start, end).map((move) => ({ at: move, value: move.amount }));
}

const token = 'upkeep base units';

type Moved = { readonly start: number; readonly end: number; readonly total: bigint };

/** Moves of a kind after a block (from the first with -1) and up to the moment's. */
function movedSince({ history, block }: Moment, kind: UpkeepMove['kind'], after: number): Moved {
  const moves = history.upkeep[kind];
  const start = countAtBlock(moves, after);
  const end = countAtBlock(moves, block);
  const upTo = (count: number) => moves[count - 1]?.toAmount ?? 0n;
  return { start, end, total: upTo(end) - upTo(start) };
}

/**
 * Upkeep in hand: what the last observation read and what moved since; before the first one every move since the vault began.
 * Base units of the upkeep token.
 */
export function upkeepBalance(moment: Moment): Figure {
  const seen = observationAt(moment);
  const after = seen?.block ?? -1;
  const moved = (kind: UpkeepMove['kind']) => movedSince(moment, kind, after);
  const deposited = moved('deposited');
  const spent = moved('spent');
  const withdrawn = moved('withdrawn');
  const value = (seen?.upkeepBalance ?? 0n) + deposited.total - spent.total - withdrawn.total;
  const inputsOf = (name: string, kind: UpkeepMove['kind'], { start, end }: Moved, source: string): Input[] =>
    moment.history.upkeep[kind]
      .slice(start, end)
      .map((move): Input => ({ name, value: move.amount, unit: token, at: move, source }));
  return figure({
    value: value < 0n ? null : value,
    unit: token,
    method: 'sum',
    observed: seen !== undefined,
    reason: 'more was spent than the log says was paid in',
    sampleSize: deposited.end - deposited.start + spent.end - spent.start + withdrawn.end - withdrawn.start,
    inputs: () => [
      ...(seen
        ? [{ name: 'added', value: seen.upkeepBalance, unit: token, at: placeOf(seen), source: 'state_observed' }]
        : []),
      ...inputsOf('added', 'deposited', deposited, 'UpkeepDeposited'),
      ...inputsOf('taken', 'spent', spent, 'UpkeepSpent'),
      ...inputsOf('taken', 'withdrawn', withdrawn, 'UpkeepWithdrawn'),
    ],
  });
}

const placeOf = ({ time, block }: Dated) => ({ time, block });

/** What one price update costs: as observed; before the first observation what the last one was charged. */
export function updateCost(moment: Moment): Figure {
  const seen = observationAt(moment);
  if (seen) {
    const cost = seen.upkeepEnabled ? seen.upkeepCost : null;
    const where = { at: placeOf(seen), source: 'state_observed' };
    return written(cost, token, where, { observed: true, reason: 'updates cost nothing' });
  }
  const last = lastAtBlock(moment.history.upkeep.spent, moment.block);
  const where = { at: last, source: 'UpkeepSpent' };
  return written(last?.amount ?? null, token, where, { reason: 'no update was charged yet' });
}

type LeastInterval = { readonly seconds: number; readonly at: Place | undefined; readonly source: string };

/** The least time between two updates, and where it is written; undefined before it is known. */
export function leastInterval({ history, block }: Moment): LeastInterval | undefined {
  const change = lastAtBlock(history.intervals, block);
  const seen = lastAtBlock(history.observations, block);
  if (change && (!seen || change.block > seen.block))
    return { seconds: change.seconds, at: change, source: 'MinUpdateIntervalChanged' };
  if (seen) return { seconds: seen.minUpdateIntervalSeconds, at: placeOf(seen), source: 'state_observed' };
  const { initialIntervalSeconds: seconds, identity } = history;
  return seconds === null ? undefined : { seconds, at: identity, source: 'what the vault began with' };
}

/**
 * How long the upkeep lasts: balance / (cost of one update x updates a day), whole seconds. `recent` is the figure; `worst` is at
 * the least interval that the contract allows, `week` at the mean of seven days.
 */
export function runway(moment: Moment, pace: Cadence | 'worst'): Figure {
  const balance = upkeepBalance(moment);
  const cost = updateCost(moment);
  const updates = pace === 'worst' ? fastest(moment) : updatesFigure(moment, pace);
  const { reports, seconds } = pace === 'worst' ? oneEach(moment) : paceOf(counted(moment, pace), moment.time);
  const parts = [cost, balance, updates];
  const known = parts.every((part) => part.value !== null);
  const value = known
    ? upkeepRunwaySeconds({
        balance: balance.value as bigint,
        costPerUpdate: cost.value as bigint,
        reports,
        seconds,
      })
    : null;
  return figure({
    value,
    unit: 'seconds',
    method: 'runway',
    observed: balance.observed || cost.observed,
    status: updates.status === 'partial' ? 'partial' : 'ok',
    reason: known
      ? value === null
        ? 'updates cost nothing'
        : updates.status === 'partial'
          ? updates.reason
          : null
      : (parts.find((part) => part.value === null)?.reason ?? null),
    window: updates.window,
    sampleSize: pace === 'worst' ? Number(known) : updates.sampleSize,
    inputs: () => [
      given('balance', (balance.value as bigint | null) ?? 0n, token, 'upkeep.balance of this answer'),
      given('cost', (cost.value as bigint | null) ?? 0n, token, 'upkeep.cost_per_update of this answer'),
      ...updates.inputs(),
    ],
  });
}

type Pace = { readonly reports: number; readonly seconds: number };

const paceOf = ({ from, reports }: Counted, time: number): Pace => ({ reports, seconds: time - from });
const oneEach = (moment: Moment): Pace => ({ reports: 1, seconds: leastInterval(moment)?.seconds ?? 0 });
const leastSource = (least: LeastInterval | undefined) => `least interval: ${least?.source ?? 'not known'}`;

/** As many updates a day as the least interval lets through. */
function fastest(moment: Moment): Figure {
  const least = leastInterval(moment);
  return figure({
    value: least && least.seconds > 0 ? DAY / least.seconds : null,
    unit: 'updates per day',
    method: 'per_day',
    reason: least ? 'the contract sets no least interval' : 'the least interval is not known yet',
    inputs: () => [
      given('reports', 1, 'reports', 'one in each interval'),
      { name: 'seconds', value: least?.seconds ?? 0, unit: 'seconds', at: least?.at, source: leastSource(least) },
    ],
  });
}
