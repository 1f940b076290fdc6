import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { m4, sampled } from './downsample.ts';
import { Extremes } from './extremes.ts';

type Item = { t: number; v: number };
const kept4 = (items: readonly Item[], most: number, width: number): Item[] => {
  const extremes = new Extremes(items, (a, b) => a.v - b.v);
  const places = m4(items, { start: 0, end: items.length }, extremes, { most, width, key: ({ t }) => t });
  return places.map((at) => items[at] as Item);
};

describe('m4', () => {
  test('default: few enough stay as they are', () => {
    const items = [3, 1, 2].map((v, t) => ({ t, v }));
    expect(kept4(items, 3, 10)).toEqual(items);
  });

  test('default: first, lowest, highest and last of a bucket, in order, each once', () => {
    const items = [5, 9, 6, 1, 4, 7, 7, 7].map((v, t) => ({ t, v }));
    expect(kept4(items, 4, 5).map(({ t }) => t)).toEqual([0, 1, 3, 4, 5, 7]);
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
  test('property: never more than asked for, however few, and always the ends', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 2, max: 40 }), (list, most) => {
        const extremes = new Extremes(list, (a, b) => a.v - b.v);
        const range = { from: -1, to: (list.at(-1)?.t ?? 0) + 1 };
        const { kept } = sampled(list, { start: 0, end: list.length }, extremes, { range, most, key: ({ t }) => t });
        expect(kept.length).toBeLessThanOrEqual(most);
        expect([kept[0], kept.at(-1)]).toEqual(list.length === 0 ? [undefined, undefined] : [0, list.length - 1]);
        expect(kept).toEqual([...new Set(kept)].sort((a, b) => a - b));
      }),
      runs(500),
    );
  });

  test('property: a bucket keeps its ends and its extremes, at most four, nothing made up', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 300 }), (list, width) => {
        const kept = kept4(list, 0, width);
        expect(kept.every((item) => list.includes(item))).toBe(true);
        expect(kept).toEqual([...kept].sort((a, b) => list.indexOf(a) - list.indexOf(b)));
        for (const bucket of new Set(list.map(({ t }) => Math.floor(t / width)))) {
          const of = (all: readonly Item[]) => all.filter(({ t }) => Math.floor(t / width) === bucket);
          const whole = of(list);
          const left = of(kept);
          const values = (all: readonly Item[]) => [
            Math.min(...all.map(({ v }) => v)),
            Math.max(...all.map(({ v }) => v)),
          ];
          expect(left.length).toBeLessThanOrEqual(4);
          expect(values(left)).toEqual(values(whole));
          expect([left[0], left.at(-1)]).toEqual([whole[0], whole.at(-1)]);
        }
      }),
      runs(500),
    );
  });
});
