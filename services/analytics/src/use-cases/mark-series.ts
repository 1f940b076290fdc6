import { lastOfBuckets } from '../domain/downsample.ts';
import { figure, type Input } from '../domain/figure.ts';
import type { Marker } from '../domain/history.ts';
import type { MarkMove } from '../domain/ledgers/price-ledger.ts';
import { displayed } from '../domain/metrics/net-price.ts';
import { type Moment, ppsInput } from '../domain/moment.ts';
import { type Range, windowStart } from '../domain/range.ts';
import { isoOf, lastAtTime, stretchOf, within } from '../domain/timeline.ts';

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
 * that moved it, thinned to `most`. A vault begins with its first price as mark.
 */
export function markSeries(moment: Moment, range: Range, most: number) {
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
  const inside = stretchOf(marks, start, range.to, moment.block);
  const { kept } = lastOfBuckets(marks, inside, { range, most });
  return [begun, ...kept.map((move) => step(move.time, move.after, movedTo(move)))];
}

/** Marks on the price chart, oldest first: each kind thinned to its part of `most`. */
export function markersOf({ history, block }: Moment, range: Range, most: number): Marker[] {
  const inside = within(history.markers, windowStart(range), range.to, block);
  if (inside.length <= most) return [...inside];
  const kinds = [...Map.groupBy(inside, ({ kind }) => kind).values()];
  const each = Math.max(1, Math.floor(most / kinds.length));
  const kept = new Set(
    kinds.flatMap((list) => lastOfBuckets(list, { start: 0, end: list.length }, { range, most: each }).kept),
  );
  return inside.filter((marker) => kept.has(marker));
}
