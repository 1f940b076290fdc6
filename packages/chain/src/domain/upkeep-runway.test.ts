import { describe, expect, test } from '@jest/globals';
import { recentUpdatePace, upkeepRunwaySeconds } from './upkeep-runway.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** The pace at a time, in hours, of a vault whose first price is at hour 0 and that had updates at `hours`. */
const paceAt = (now: number, hours: readonly number[], changedAt: number | null = null) => {
  const { reports, seconds, basis, isKnown } = recentUpdatePace({
    time: now * HOUR,
    pricedSince: 0,
    intervalChangedAt: changedAt === null ? null : changedAt * HOUR,
    reportsSince: (from) => hours.filter((hour) => hour * HOUR > from && hour <= now).length,
  });
  return [reports, seconds / HOUR, basis, isKnown];
};
const hourly = (until: number) => Array.from({ length: until }, (_, n) => n + 1);

describe('the recent pace of price updates', () => {
  test('default: is that of the last 24 hours, however calm it was before', () => {
    const calm = [12, 24, 36, 48];
    expect(paceAt(72, [...calm, ...hourly(24).map((hour) => 48 + hour)])).toEqual([24, 24, 'last_24h', true]);
  });

  test('behavior: counts from a change of the least interval once two updates came since, for a day', () => {
    expect(paceAt(48.5, [...hourly(48), 48.25], 48)).toEqual([25, 24, 'last_24h', true]);
    const two = [...hourly(48), 48.25, 48.5];
    expect(paceAt(48.5, two, 48)).toEqual([2, 0.5, 'since_interval_change', true]);
    expect(paceAt(72, two, 48)).toEqual([2, 24, 'last_24h', true]);
  });

  test('behavior: a vault of less than a day needs two updates; after a day one is enough, and none is not', () => {
    expect(paceAt(1, [1])).toEqual([1, 1, 'since_creation', false]);
    expect(paceAt(2, [1, 2])).toEqual([2, 2, 'since_creation', true]);
    expect(paceAt(24, [1])).toEqual([1, 24, 'last_24h', true]);
    expect(paceAt(48, [1, 2])).toEqual([0, 24, 'last_24h', false]);
    expect(recentUpdatePace({ time: 5, pricedSince: null, intervalChangedAt: null, reportsSince: () => 0 })).toEqual({
      reports: 0,
      from: 5,
      seconds: 0,
      basis: 'since_creation',
      isKnown: false,
    });
  });
});

test('default: 1 110 units at 0.5 an update and 24 updates a day last 92.5 days', () => {
  const lasts = (balance: bigint, costPerUpdate: bigint, reports = 24, seconds = DAY) =>
    upkeepRunwaySeconds({ balance, costPerUpdate, reports, seconds });
  expect(lasts(11_100n, 5n)).toBe(92.5 * DAY);
  expect(lasts(0n, 1n)).toBe(0);
  expect([lasts(1n, 0n), lasts(1n, 1n, 0), lasts(1n, 1n, 1, 0)]).toEqual([null, null, null]);
});
