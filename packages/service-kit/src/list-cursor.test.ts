import { hasErrorCode } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { cursorOf, foundAndTotal, invalidCursor, pageOf, placeIn } from './list-cursor.ts';

const form = /^(\d+) (\S+)$/;

test('default: a place goes through its cursor unchanged, with the groups of its form', () => {
  expect(placeIn(cursorOf('7 größer'), form)?.slice(1)).toEqual(['7', 'größer']);
});

test('error: what is not of the form is no place', () => {
  for (const cursor of ['', '!', cursorOf('seven'), cursorOf('7 a b')]) expect(placeIn(cursor, form)).toBeUndefined();
  expect(hasErrorCode(invalidCursor(), 'CURSOR_INVALID')).toBe(true);
});

test('behavior: a page ends with its cursor when one item more was found, and without when none was', () => {
  expect(pageOf(['a', 'b', 'c'], 2, (item) => item)).toEqual({
    items: ['a', 'b'],
    has_more: true,
    next_cursor: cursorOf('b'),
  });
  expect(pageOf(['a', 'b'], 2, (item) => item)).toEqual({ items: ['a', 'b'], has_more: false, next_cursor: null });
  expect(pageOf([], 2, String)).toEqual({ items: [], has_more: false, next_cursor: null });
});

test.each([
  ['a first page that is all of the list', { limit: 2 }, ['a', 'b'], 2, 0],
  ['a first page with others behind it', { limit: 2 }, ['a', 'b', 'c'], 7, 1],
  ['the last page of several', { limit: 2, cursor: 'x' }, ['g'], 7, 1],
  ['an empty list', { limit: 2 }, [], 0, 0],
])('behavior: %s has its total', async (_name, page, items, total, counts) => {
  let counted = 0;
  const count = async () => {
    counted += 1;
    return 7;
  };
  expect(await foundAndTotal(page, async () => items, count)).toEqual([items, total]);
  expect(counted).toBe(counts);
});
