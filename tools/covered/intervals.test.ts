import { expect, test } from '@jest/globals';
import { common, contains, notRun } from './intervals.ts';

const range = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count });
const fn = (...ranges: ReturnType<typeof range>[]) => ({ ranges });

test('default: the innermost range decides whether code ran', () => {
  const module = fn(range(0, 100, 1));
  const called = fn(range(10, 50, 3));
  const notCalled = fn(range(20, 30, 0));
  const calledInside = fn(range(24, 26, 1));
  const last = fn(range(60, 100, 0));
  expect(notRun([module, called, notCalled, calledInside, last])).toEqual([20, 24, 26, 30, 60, 100]);
});

test('behavior: ranges of one function may differ, and functions come in any order', () => {
  expect(notRun([fn(range(40, 60, 0)), fn(range(0, 60, 1), range(5, 10, 0))])).toEqual([5, 10, 40, 60]);
});

test('behavior: neighbours that did not run are one interval', () => {
  expect(notRun([fn(range(0, 9, 1)), fn(range(2, 4, 0)), fn(range(4, 6, 0))])).toEqual([2, 6]);
  expect(notRun([fn(range(0, 9, 0)), fn(range(2, 4, 0))])).toEqual([0, 9]);
});

test('behavior: a module whose evaluation never began did not run', () => {
  expect(notRun([fn(range(0, 100, 0))])).toEqual([0, 100]);
  expect(notRun([])).toEqual([]);
});

test('behavior: what two test files left is what neither ran, in either order', () => {
  const left = [0, 10, 20, 30, 40, 50];
  const right = [5, 25, 45, 60];
  expect(common(left, right)).toEqual([5, 10, 20, 25, 45, 50]);
  expect(common(right, left)).toEqual([5, 10, 20, 25, 45, 50]);
  expect(common(left, [])).toEqual([]);
  expect(common(left, left)).toEqual(left);
});

test('behavior: an interval contains its start and not its end', () => {
  expect([4, 5, 9, 10, 15, 19, 20].map((offset) => contains([5, 10, 15, 20], offset))).toEqual([
    ...[false, true, true, false],
    ...[true, true, false],
  ]);
});
