import { expect, test } from '@jest/globals';
import { medianOf, meetsGoal, movedBetween } from './compare.ts';
import type { Figure } from './figures.ts';

const ms = (...values: number[]): Figure[] => values.map((value) => ({ name: 'read', unit: 'ms', value }));

test('default: a figure that is beyond all former rounds has moved', () => {
  expect(movedBetween({ read: ms(10, 11, 12) }, { read: ms(14, 15, 13) })).toEqual([
    { name: 'read', unit: 'ms', before: 11, after: 14, change: 14 / 11 - 1, isWorse: true },
  ]);
});

test('behavior: rounds that overlap, small changes and figures of one run only are not called changes', () => {
  expect(movedBetween({ read: ms(10, 11, 15) }, { read: ms(14, 16, 17) })).toEqual([]);
  expect(movedBetween({ read: ms(100, 101, 102) }, { read: ms(103, 104, 105) })).toEqual([]);
  expect(movedBetween({}, { read: ms(1) })).toEqual([]);
});

test('behavior: what has a baseline is compared by its ratio, so that a slower machine is no change', () => {
  const of = (value: number, baseline: number): Figure[] => [{ name: 'read', unit: 'ms', value, baseline }];
  expect(movedBetween({ read: of(10, 5) }, { read: of(20, 10) })).toEqual([]);
  expect(movedBetween({ read: of(10, 5) }, { read: of(10, 10) })).toMatchObject([{ isWorse: false, change: -0.5 }]);
});

test('behavior: a rate is worse when it is lower', () => {
  const rate = (value: number): Figure[] => [{ name: 'inserts', unit: 'per s', value, goal: 100 }];
  expect(movedBetween({ inserts: rate(200) }, { inserts: rate(150) })).toMatchObject([{ isWorse: true }]);
  expect(rate(150).map(meetsGoal)).toEqual([true]);
  expect(rate(99).map(meetsGoal)).toEqual([false]);
  expect(ms(1).map(meetsGoal)).toEqual([undefined]);
});

test('error: there is no median of nothing', () => {
  expect(medianOf([3, 1, 2])).toBe(2);
  expect(() => medianOf([])).toThrow(RangeError);
});
