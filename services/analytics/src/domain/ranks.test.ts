import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Extremes } from './extremes.ts';
import { Ranks } from './ranks.ts';
import { ascending, quantile } from './ratio.ts';

const values = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 1_200 });
const part = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }));
/** At least one value, also where both ends are the end of the list. */
const stretchOf = (length: number, [a, b]: [number, number]) => {
  const start = Math.min(Math.floor(Math.min(a, b) * length), length - 1);
  return { start, end: Math.max(Math.floor(Math.max(a, b) * length), start + 1) };
};

describe('Ranks', () => {
  test('property: a quantile of a stretch is that of its sorted values', () => {
    fc.assert(
      fc.property(values, part, fc.constantFrom(0.01, 0.5, 0.9, 0.95, 1), (list, ends, q) => {
        const ranks = new Ranks<number>();
        for (const value of list) ranks.add(value);
        const { start, end } = stretchOf(list.length, ends);
        expect(ranks.quantile(start, end, q)).toBe(quantile(ascending(list.slice(start, end)), q));
      }),
      runs(500),
    );
  });

  test('default: nothing has no quantile', () => {
    expect(new Ranks<bigint>().quantile(0, 0, 0.5)).toBeUndefined();
  });
});

describe('Extremes', () => {
  test('property: the lowest and highest of a stretch, the first of equals', () => {
    fc.assert(
      fc.property(values, part, (list, ends) => {
        const extremes = new Extremes(list, (a, b) => a - b);
        const { start, end } = stretchOf(list.length, ends);
        const inside = list.slice(start, end);
        const { low, high } = extremes.between(start, end);
        expect(low).toBe(start + inside.indexOf(Math.min(...inside)));
        expect(high).toBe(start + inside.indexOf(Math.max(...inside)));
      }),
      runs(500),
    );
  });
});
