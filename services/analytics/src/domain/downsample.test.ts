import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { m4 } from './downsample.ts';

type Item = { t: number; v: number };
const byValue = (a: Item, b: Item) => a.v - b.v;

describe('m4', () => {
  test('default: few enough stay as they are', () => {
    const items = [3, 1, 2].map((v, t) => ({ t, v }));
    expect(m4(items, 3, 10, byValue)).toEqual(items);
  });

  test('default: first, lowest, highest and last of a bucket, in order, each once', () => {
    const items = [5, 9, 6, 1, 4, 7, 7, 7].map((v, t) => ({ t, v }));
    expect(m4(items, 4, 5, byValue).map(({ t }) => t)).toEqual([0, 1, 3, 4, 5, 7]);
  });

  const items = fc
    .array(fc.record({ step: fc.integer({ min: 0, max: 50 }), v: fc.integer({ min: -100, max: 100 }) }), {
      maxLength: 200,
    })
    .map((list) => {
      let t = 0;
      return list.map(({ step, v }) => {
        t += step;
        return { t, v };
      });
    });
  test('property: a bucket keeps its ends and its extremes, at most four, nothing made up', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 300 }), (list, width) => {
        const kept = m4(list, 0, width, byValue);
        expect(kept.every((item) => list.includes(item))).toBe(true);
        expect(kept).toEqual([...kept].sort((a, b) => list.indexOf(a) - list.indexOf(b)));
        for (const bucket of new Set(list.map(({ t }) => Math.floor(t / width)))) {
          const of = (all: readonly Item[]) => all.filter(({ t }) => Math.floor(t / width) === bucket);
          const [whole, left] = [of(list), of(kept)];
          const values = (all: readonly Item[]) => [
            Math.min(...all.map(({ v }) => v)),
            Math.max(...all.map(({ v }) => v)),
          ];
          expect(left.length).toBeLessThanOrEqual(4);
          expect(values(left)).toEqual(values(whole));
          expect([left[0], left.at(-1)]).toEqual([whole[0], whole.at(-1)]);
        }
      }),
    );
  });
});
