import { describe, expect, test } from '@jest/globals';
import { costPerDay, paymentsOf } from './read-settings.ts';

const day = 86_400n;
const at = (hour: number) => new Date(hour * 3_600_000).toISOString();
const paid = (...hours: number[]) => hours.map((hour) => ({ name: 'UpkeepSpent', block_time: at(hour) }));
const changed = (hour: number) => ({ name: 'MinUpdateIntervalChanged', block_time: at(hour) });
const everyHour = Array.from({ length: 24 }, (_, hour) => hour + 1);

describe('the cost of a day of price updates', () => {
  const costOf = (entries: Parameters<typeof paymentsOf>[0], heartbeatSeconds: bigint | null, since = 0n, cost = 5n) =>
    costPerDay(cost, paymentsOf(entries, { since }), { chainTime: day, heartbeatSeconds });

  test('default: is at the cadence of the last 24 hours', () => {
    expect(costOf(paid(...everyHour), null)).toEqual({ cost: 120n, basis: 'last_24h' });
  });

  test('behavior: is at the heartbeat where that is faster, and before anything was paid', () => {
    expect(costOf(paid(1, 2), 3_600n)).toEqual({ cost: 120n, basis: 'heartbeat' });
    expect(costOf([], 3_600n)).toEqual({ cost: 120n, basis: 'heartbeat' });
    expect(costOf(paid(...everyHour), 7_200n)).toEqual({ cost: 120n, basis: 'last_24h' });
  });

  test('behavior: counts from the last change of the interval once two updates were paid since', () => {
    const quick = [...paid(1, 2), changed(12), ...paid(12.5, 13, 13.5, 14, 14.5, 15)];
    expect(costOf(quick, null)).toEqual({ cost: 60n, basis: 'since_interval_change' });
    expect(costOf([...paid(1, 2), changed(12), ...paid(13)], null)).toEqual({ cost: 15n, basis: 'last_24h' });
  });

  test('behavior: rounds up, spreads over the life of a young vault, and is unknown when nothing is known or paid', () => {
    expect(costOf(paid(23), null, day - 43_201n, 1n)).toEqual({ cost: 2n, basis: 'last_24h' });
    expect(costOf(paid(24), null, day, 2n)).toEqual({ cost: 172_800n, basis: 'last_24h' });
    expect(costOf([], null)).toBeNull();
    expect(costOf(paid(1), 60n, 0n, 0n)).toBeNull();
  });
});
