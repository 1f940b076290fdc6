import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Episode, type Fall, Falls } from './falls.ts';

/** Rising, falling and level ones; long ones have runs of several sizes. */
const values = fc.oneof(
  fc.array(fc.bigInt({ min: 1n, max: 30n }), { minLength: 1, maxLength: 200 }),
  fc.array(fc.integer({ min: -3, max: 4 }), { minLength: 1, maxLength: 200 }).map((steps) => {
    let value = 3_000n;
    return steps.map((step) => (value += BigInt(step)));
  }),
);
const part = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }));
const stretchOf = (length: number, [a, b]: [number, number]) => {
  const start = Math.min(Math.floor(Math.min(a, b) * length), length - 1);
  return { start, end: Math.max(Math.floor(Math.max(a, b) * length), start + 1) };
};

/** Each value of a stretch with the first highest one up to it. */
function eachFall(list: readonly bigint[], start: number, end: number): Fall[] {
  let peak = start;
  return list.slice(start, end).map((value, offset) => {
    if (value > (list[peak] as bigint)) peak = start + offset;
    return { peak, trough: start + offset };
  });
}

const isDeeper = (list: readonly bigint[], a: Fall, b: Fall): boolean => {
  const peakOf = (fall: Fall) => list[fall.peak] as bigint;
  const depthOf = (fall: Fall) => peakOf(fall) - (list[fall.trough] as bigint);
  return depthOf(a) * peakOf(b) > depthOf(b) * peakOf(a);
};
const deepestOf = (list: readonly bigint[], falls: readonly Fall[]): Fall =>
  falls.reduce((deepest, fall) => (isDeeper(list, fall, deepest) ? fall : deepest));

/** One value after the other: as episodes are defined. */
function episodesOf(list: readonly bigint[], start: number, end: number): Episode[] {
  const episodes: Episode[] = [];
  let peak = start;
  let trough: number | undefined;
  for (let at = start; at < end; at += 1) {
    const value = list[at] as bigint;
    if (value >= (list[peak] as bigint)) {
      if (trough !== undefined) episodes.push({ peak, trough, recovered: at });
      trough = undefined;
      peak = at;
    } else if (trough === undefined || value < (list[trough] as bigint)) trough = at;
  }
  return trough === undefined ? episodes : [...episodes, { peak, trough, recovered: undefined }];
}

const cases = (check: (list: readonly bigint[], falls: Falls, start: number, end: number) => void) =>
  fc.assert(
    fc.property(values, part, part, (list, early, later) => {
      const falls = new Falls((at) => list[at] as bigint);
      // The second question finds runs that the first has made.
      for (const ends of [early, later]) {
        const { start, end } = stretchOf(list.length, ends);
        check(list, falls, start, end);
      }
    }),
    runs(150),
  );

describe('Falls', () => {
  test('property: the deepest fall of a stretch is the first deepest of all, with its peak', () => {
    cases((list, falls, start, end) => {
      expect(falls.deepest(start, end)).toEqual(deepestOf(list, eachFall(list, start, end)));
      expect(falls.highest(start, end)).toBe(eachFall(list, start, end).at(-1)?.peak);
    });
  });

  test('property: a part of a stretch has its smallest and its deepest fall below the highest of the stretch', () => {
    cases((list, falls, start, end) => {
      const all = eachFall(list, start, end);
      for (let from = start; from < end; from += 41) {
        const to = Math.min(end, from + 41);
        const inside = all.slice(from - start, to - start);
        const least = inside.reduce((smallest, fall) => (isDeeper(list, smallest, fall) ? fall : smallest));
        const deepest = deepestOf(list, inside);
        expect(falls.between(start, from, to)).toEqual({ low: least.trough, high: deepest.trough });
      }
    });
  });

  test('property: episodes are those found value by value', () => {
    cases((list, falls, start, end) => {
      const all = episodesOf(list, start, end);
      expect(falls.episodes(start, end, () => true)).toEqual(all);
      const counts = ({ peak, trough }: Fall) =>
        ((list[peak] as bigint) - (list[trough] as bigint)) * 20n >= (list[peak] as bigint);
      expect(falls.episodes(start, end, counts)).toEqual(all.filter(counts));
    });
  });
});
