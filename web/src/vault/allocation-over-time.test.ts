import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { anAddress, aVault } from '../../test/builders.ts';
import { type AllocationAnswer, allocationSeries, takeawayOf } from './allocation-over-time.tsx';

const source = (number: number, share: number | null) => ({ source_address: anAddress(number), assets: null, share });
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

const answer = (points: AllocationAnswer['points'], count: number): AllocationAnswer => ({
  chain_id: 31337,
  vault_address: anAddress(1),
  as_of: at(9),
  block_number: 9,
  quality: {},
  period: '30d',
  from: at(0),
  to: at(9),
  interval_seconds: 60,
  sources: Array.from({ length: count }, (_, index) => ({
    source_address: anAddress(index),
    kind: index === 0 ? 'idle' : 'source',
    apy: null,
  })),
  points,
});

test('default: largest first; absent is nothing, unreadable is a gap', () => {
  const points = [
    { t: at(0), sources: [source(0, 1)] },
    { t: at(1), sources: [source(0, null), source(1, null)] },
    { t: at(2), sources: [source(0, 0.25), source(1, 0.75)] },
  ];
  const series = allocationSeries(answer(points, 2), aVault());
  expect(series.map(({ id, points: shares }) => [id, shares.map(([, share]) => share)])).toEqual([
    [anAddress(1), [0, null, 0.75]],
    [anAddress(0), [1, null, 0.25]],
  ]);
  expect(series[1]?.name).toBe('Idle');
});

test('behavior: six named areas at most and one for the rest, which add up to the whole', () => {
  const points = [{ t: at(0), sources: Array.from({ length: 9 }, (_, index) => source(index, 1 / 9)) }];
  const series = allocationSeries(answer(points, 9), aVault());
  expect(series).toHaveLength(7);
  expect(series.at(-1)?.name).toBe('3 others');
  expect(series.reduce((sum, { points: shares }) => sum + (shares[0]?.[1] ?? 0), 0)).toBeCloseTo(1);
});

test('behavior: the rest has a gap where one of its sources could not be read', () => {
  const shares = [...Array.from({ length: 8 }, () => 0.1), null];
  const points = [{ t: at(0), sources: shares.map((share, index) => source(index, share)) }];
  expect(allocationSeries(answer(points, 9), aVault()).at(-1)?.points[0]?.[1]).toBeNull();
});

test('behavior: observations that begin later than the period say since when', () => {
  // The last reading of the stretch that begins five minutes after the period.
  const points = [{ t: at(5.5), sources: [source(0, 1)] }];
  const late = answer(points, 1);
  const [largest] = allocationSeries(late, aVault());
  expect(takeawayOf(late, largest)).toBe(
    'Idle holds 100.00% at the end of the period. Not observed before 1 Jan 2026, 00:05 UTC.',
  );
  expect(takeawayOf({ ...late, from: at(5.5) }, largest)).toBe('Idle holds 100.00% at the end of the period.');
  // Few readings are not thinned out: each is a point, and there are no stretches.
  expect(takeawayOf({ ...late, interval_seconds: 0 }, largest)).toMatch(/Not observed before 1 Jan 2026, 00:05 UTC\.$/);
});
