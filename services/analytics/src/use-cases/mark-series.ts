import { figure, type Input } from '../domain/figure.ts';
import type { MarkMove } from '../domain/ledgers/price-ledger.ts';
import { displayed } from '../domain/metrics/net-price.ts';
import { type Moment, ppsInput } from '../domain/moment.ts';
import { type Range, windowStart } from '../domain/range.ts';
import { isoOf, lastAtTime, within } from '../domain/timeline.ts';

const movedTo =
  (move: MarkMove) =>
  (name: string): Input => ({
    name,
    value: move.after,
    unit: 'pps',
    at: move,
    source: 'HWMPPSUpdated, HighWaterMarkReset',
  });

/**
 * The high-water mark over a range as steps: what was in force when it began, then each skim, reset and change of terms
 * that moved it. A vault begins with its first price as mark.
 */
export function markSeries(moment: Moment, range: Range) {
  const { marks, points } = moment.history.prices;
  const [first] = points;
  if (first === undefined || first.block > moment.block) return [];
  const step = (seconds: number, pps: bigint, of: (name: string) => Input) => ({
    t: isoOf(seconds),
    pps: figure({ value: pps, unit: 'pps', method: 'value', inputs: () => [of('value')] }),
    pps_display: displayed(moment, of('pps')),
  });
  const start = windowStart(range);
  const before = lastAtTime(marks, start, moment.block);
  const begun =
    before === undefined
      ? step(Math.max(range.from, first.t), first.pps, (name) => ppsInput(name, first, first.pps))
      : step(range.from, before.after, movedTo(before));
  const moves = within(marks, start, range.to, moment.block);
  return [begun, ...moves.map((move) => step(move.time, move.after, movedTo(move)))];
}
