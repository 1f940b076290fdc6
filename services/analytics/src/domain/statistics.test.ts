import { describe, expect, test } from '@jest/globals';
import {
  adjustedSharpe,
  autocorrelation,
  logReturns,
  naiveSharpe,
  sampleDeviation,
  scalingFactor,
  significantCorrelations,
  sortinoRatio,
} from './statistics.ts';

test('default: the factor of Lo falls from 19.10 to 11.05 when the correlation halves with each lag', () => {
  expect(scalingFactor(365, [])).toBeCloseTo(19.1, 2);
  const correlations = Array.from({ length: 364 }, (_, lag) => 0.5 ** (lag + 1));
  expect(scalingFactor(365, correlations)).toBeCloseTo(11.05, 2);
});

describe('sample statistics', () => {
  test('default: deviation over n - 1', () => {
    expect(sampleDeviation([1, 2, 3, 4])).toBeCloseTo(Math.sqrt(5 / 3), 14);
    expect(sampleDeviation([1])).toBeNull();
  });

  test('default: log returns keep the digits of small moves', () => {
    expect(logReturns([10n ** 18n, 10n ** 18n + 1n])[0]).toBeCloseTo(1e-18, 24);
  });

  test('behavior: a series that does not vary has no correlation and no ratio', () => {
    expect(autocorrelation([1, 1, 1], 1)).toBeNull();
    expect(adjustedSharpe([0.125, 0.125, 0.125], 0)).toBeNull();
    expect(naiveSharpe([0.1], 0)).toBeNull();
  });

  test('default: Sortino counts the days below the benchmark alone, over all days', () => {
    const downside = Math.sqrt(0.01 ** 2 / 3);
    expect(sortinoRatio([0.01, -0.01, 0.02], 0)).toBeCloseTo((0.02 / 3 / downside) * Math.sqrt(365), 10);
    expect(sortinoRatio([0.02, 0, 0.03], 0.01)).toBeCloseTo((0.02 / 3 / downside) * Math.sqrt(365), 10);
    expect(sortinoRatio([0.01, 0.02], 0)).toBeNull();
  });

  test('behavior: lags end before the first that chance alone explains, and at 10 log10 n', () => {
    const ramp = Array.from({ length: 100 }, (_, day) => day);
    expect(significantCorrelations(ramp)).toHaveLength(20);
    // Two days up, two days down: the second lag is as far from chance as the first is near to it.
    const pairs = Array.from({ length: 40 }, (_, day) => (day % 4 < 2 ? 1 : -1));
    expect(Math.abs(autocorrelation(pairs, 1) as number)).toBeLessThan(1.96 / Math.sqrt(40));
    expect(Math.abs(autocorrelation(pairs, 2) as number)).toBeGreaterThan(1.96 / Math.sqrt(40));
    expect(significantCorrelations(pairs)).toEqual([]);
    expect(adjustedSharpe([...pairs, 1], 0)).toBeCloseTo(naiveSharpe([...pairs, 1], 0) as number, 12);
    const alternating = pairs.map((_, day) => day % 2);
    expect(significantCorrelations(alternating).slice(0, 2)).toEqual(
      [1, 2].map((lag) => autocorrelation(alternating, lag)),
    );
    expect(significantCorrelations([])).toEqual([]);
  });

  test('behavior: returns that go on make the honest ratio smaller than the naive one', () => {
    const trending = [1, 2, 3, 4, 5, 4, 3, 2, 1, 2, 3, 4, 5, 4, 3, 2].map((n) => n / 1_000);
    expect(adjustedSharpe(trending, 0)).toBeLessThan(naiveSharpe(trending, 0) as number);
  });
});
