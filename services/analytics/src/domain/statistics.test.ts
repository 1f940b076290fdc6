import { describe, expect, test } from '@jest/globals';
import {
  adjustedSharpe,
  autocorrelation,
  logReturns,
  plainSharpe,
  sampleDeviation,
  scalingFactor,
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
    expect(plainSharpe([0.1], 0)).toBeNull();
  });

  test('behavior: returns that go on make the honest ratio smaller than the plain one', () => {
    const trending = [1, 2, 3, 4, 5, 4, 3, 2, 1, 2, 3, 4, 5, 4, 3, 2].map((n) => n / 1_000);
    expect(adjustedSharpe(trending, 0)).toBeLessThan(plainSharpe(trending, 0) as number);
  });
});
