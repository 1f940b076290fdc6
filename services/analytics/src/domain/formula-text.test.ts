import { expect, test } from '@jest/globals';
import { evaluate } from './formula-text.ts';

test.each([
  ['1 + 2 x 3 - 4 / 8', 6.5],
  ['(1 + 2) x 3', 9],
  ['8 / 2 / 2', 2],
  ['7 - 2 - 1', 4],
  ['sqrt(max(1, 4 - 13, 9)) x rate; what is behind a semicolon is said, not computed (x', 1.5],
  ['sum((10 - lag) x rho)', 9 * 0.5 + 8 * 0.25],
  ['1 + sum((10 - none) x none)', 1],
])('default: %s is %d', (formula, expected) => {
  expect(evaluate(formula, { rate: 0.5, lag: [1, 2], rho: [0.5, 0.25], none: [] })).toBe(expected);
});

test.each([
  ['unknown + 1', 'The formula names unknown, which is not given.'],
  ['(1 + 2', 'The formula lacks a closing bracket.'],
  ['1 2', 'The formula goes on with 2.'],
  ['list + 1', 'The formula needs one number where it has a list or nothing.'],
  ['sqrt(list)', 'The formula needs one number where it has a list or nothing.'],
])('error: %s', (formula, message) => {
  expect(() => evaluate(formula, { list: [1, 2] })).toThrow(message);
});
