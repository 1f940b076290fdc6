import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { internalRate } from './internal-rate.ts';
import { YEAR_SECONDS } from './metric-math.ts';

const DAY = 86_400;

describe('internal rate', () => {
  test.each([
    [
      'a year at 10 %',
      [
        [-100n, YEAR_SECONDS],
        [110n, 0],
      ],
      0.1,
    ],
    [
      'half a year at 10 %',
      [
        [-100n, YEAR_SECONDS / 2],
        [110n, 0],
      ],
      0.21,
    ],
    [
      'a loss',
      [
        [-100n, YEAR_SECONDS],
        [90n, 0],
      ],
      -0.1,
    ],
    [
      'nothing gained',
      [
        [-100n, 30 * DAY],
        [40n, 10 * DAY],
        [60n, 0],
      ],
      0,
    ],
    // The deposits and repayments of 100 with 10 % each year, in two parts.
    [
      'two deposits',
      [
        [-100n, 2 * YEAR_SECONDS],
        [-100n, YEAR_SECONDS],
        [231n, 0],
      ],
      0.1,
    ],
  ] as const)('default: %s', (_, flows, rate) => {
    const found = internalRate(flows.map(([amount, seconds]) => ({ amount, seconds })));
    expect(found).toBeCloseTo(rate, 12);
  });

  test('behavior: a gain without anything put in has no rate', () => {
    expect(internalRate([{ amount: 5n, seconds: 0 }])).toBeUndefined();
  });

  test('property: at the rate found, what was put in and got out come to nothing', () => {
    const flow = fc.record({
      amount: fc.bigInt({ min: -(10n ** 15n), max: 10n ** 14n }),
      seconds: fc.integer({ min: DAY, max: 2 * YEAR_SECONDS }),
    });
    fc.assert(
      fc.property(
        fc.array(flow, { minLength: 1, maxLength: 12 }),
        fc.bigInt({ min: 1n, max: 10n ** 15n }),
        (flows, now) => {
          const all = [...flows, { amount: now, seconds: 0 }];
          const rate = internalRate(all);
          // Near -1 the double has too few digits of 1 + rate left to say so.
          if (rate === undefined || rate < -0.9) return;
          const parts = all.map(({ amount, seconds }) => Number(amount) * (1 + rate) ** (seconds / YEAR_SECONDS));
          const size = parts.reduce((total, part) => total + Math.abs(part), 0);
          expect(Math.abs(parts.reduce((total, part) => total + part, 0))).toBeLessThanOrEqual(1e-9 * size);
        },
      ),
      runs(300),
    );
  });
});
