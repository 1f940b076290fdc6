import { type Figure, figure, type Input } from '../figure.ts';
import { runwaySeconds } from '../formulas.ts';
import type { UpkeepMove } from '../history.ts';
import { DAY, given, type Moment, observationAt } from '../moment.ts';
import { stretchOf } from '../timeline.ts';

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
  return moves
    .slice(start, end)
    .map((move, index) => ({ at: move, value: move.toAmount - (moves[start + index - 1]?.toAmount ?? 0n) }));
}

/**
 * How long the upkeep lasts: balance / (cost of one update x updates a day), whole seconds. At the pace of the last seven days,
 * or at the fastest the contract allows.
 */
export function runway(moment: Moment, pace: 'actual' | 'worst'): Figure {
  const seen = observationAt(moment);
  const worst = seen && seen.minUpdateIntervalSeconds > 0 ? DAY / seen.minUpdateIntervalSeconds : null;
  const perDay = pace === 'actual' ? updatesPerDay(moment) : worst;
  const cost = seen?.upkeepEnabled ? seen.upkeepCost : null;
  const value = seen && cost !== null && perDay !== null ? runwaySeconds(seen.upkeepBalance, cost ?? 0n, perDay) : null;
  const inputs = (): Input[] =>
    seen
      ? [
          { name: 'balance', value: seen.upkeepBalance, unit: 'upkeep base units', at: seen, source: 'state_observed' },
          { name: 'cost', value: cost ?? null, unit: 'upkeep base units', at: seen, source: 'state_observed' },
          {
            name: 'updates_per_day',
            value: perDay,
            unit: 'updates',
            source: pace === 'actual' ? 'PPSUpdated of the last 7 days' : '86 400 / minimum update interval',
          },
        ]
      : [];
  return figure({
    value,
    unit: 'seconds',
    method: 'runway',
    observed: true,
    reason: seen && cost === null ? 'updates cost nothing' : 'there is not a whole day of updates yet',
    sampleSize: seen ? 1 : 0,
    inputs,
  });
}
