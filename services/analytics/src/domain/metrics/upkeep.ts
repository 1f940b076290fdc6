import { type Figure, figure, type Input, type Place } from '../figure.ts';
import { runwaySeconds } from '../formulas.ts';
import type { UpkeepMove } from '../history.ts';
import { DAY, given, type Moment, observationAt } from '../moment.ts';
import { written } from '../plain-figures.ts';
import { countAtBlock, type Dated, lastAtBlock, stretchOf } from '../timeline.ts';

/** Reports of the oracle a day, over the last seven days or the vault's age; null before the first whole day. */
export function updatesPerDay(moment: Moment): number | null {
  const first = moment.history.prices.points[0];
  if (!first) return null;
  const seconds = Math.min(7 * DAY, moment.time - first.t);
  if (seconds < DAY) return null;
  const { start, end } = moment.history.prices.reportStretch(moment.time - seconds, moment.time, moment.block);
  return ((end - start) * DAY) / seconds;
}

/** The same with what it rests on. */
export function updatesFigure(moment: Moment): Figure {
  const first = moment.history.prices.points[0];
  const seconds = first ? Math.min(7 * DAY, moment.time - first.t) : 0;
  const { start, end } = moment.history.prices.reportStretch(moment.time - seconds, moment.time, moment.block);
  return figure({
    value: updatesPerDay(moment),
    unit: 'updates per day',
    method: 'per_day',
    reason: 'the vault is younger than a day',
    window: { from: moment.time - seconds, to: moment.time },
    sampleSize: end - start,
    inputs: () => [
      given('reports', end - start, 'reports', 'PPSUpdated'),
      given('seconds', seconds, 'seconds', 'the window'),
    ],
  });
}

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
  const [start, end] = [countAtBlock(moves, after), countAtBlock(moves, block)];
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
  const [deposited, spent, withdrawn] = [moved('deposited'), moved('spent'), moved('withdrawn')];
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
 * How long the upkeep lasts: balance / (cost of one update x updates a day), whole seconds. At the pace of the last seven days,
 * or at the fastest the contract allows.
 */
export function runway(moment: Moment, pace: 'actual' | 'worst'): Figure {
  const [balance, cost] = [upkeepBalance(moment), updateCost(moment)];
  const least = leastInterval(moment);
  const worst = least && least.seconds > 0 ? DAY / least.seconds : null;
  const perDay = pace === 'actual' ? updatesPerDay(moment) : worst;
  const known = balance.value !== null && cost.value !== null && perDay !== null;
  const value = known ? runwaySeconds(balance.value as bigint, cost.value as bigint, perDay) : null;
  return figure({
    value,
    unit: 'seconds',
    method: 'runway',
    observed: balance.observed || cost.observed,
    reason: [cost, balance].find((item) => item.value === null)?.reason ?? 'there is not a whole day of updates yet',
    sampleSize: known ? 1 : 0,
    inputs: () => [
      given('balance', (balance.value as bigint | null) ?? 0n, token, 'upkeep.balance of this answer'),
      given('cost', (cost.value as bigint | null) ?? 0n, token, 'upkeep.cost_per_update of this answer'),
      {
        name: 'updates_per_day',
        value: perDay,
        unit: 'updates',
        ...(pace === 'actual'
          ? { source: 'PPSUpdated of the last 7 days' }
          : { at: least?.at, source: `86 400 / minimum update interval: ${least?.source}` }),
      },
    ],
  });
}
