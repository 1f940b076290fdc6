import { expect, test } from '@jest/globals';
import { evaluate } from './formula-text.ts';
import { recompute } from './methods.ts';

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

test('behavior: thousands set apart are one number; the least, the most and the number of a list', () => {
  expect(evaluate('reports x 86 400 / seconds', { reports: 12, seconds: 43_200 })).toBe(24);
  expect(evaluate('31 536 000 / 1 000', {})).toBe(31_536);
  expect(
    evaluate('max(100 x sum(weight x score) / sum(weight), floor)', { weight: [1, 3], score: [1, 0], floor: [] }),
  ).toBe(25);
  expect(evaluate('max(2, floor)', { floor: [40, 70] })).toBe(70);
  expect(evaluate('sum(sample) / count(sample) + min(1, 5)', { sample: [1, 3] })).toBe(3);
});

test('behavior: what a receipt prints is what its figure is computed by', () => {
  const given = (values: Record<string, number | readonly number[]>) =>
    Object.entries(values).flatMap(([name, value]) => [value].flat().map((one) => ({ name, value: one })));
  expect(recompute('weighted_score', given({ score: [0.5], weight: [0.8], floor: [] }))).toBe(50);
  expect(recompute('weighted_score', given({ score: [0.5, 0], weight: [0.5, 0.5], floor: [40] }))).toBe(40);
  expect(recompute('component_score', given({ value: 3_000, score_0: 1_000, score_1: 5_000 }))).toBe(0.5);
  expect(recompute('component_score', given({ value: 1, score_0: 0.5, score_1: 0 }))).toBe(0);
  expect(recompute('weighted_mean', given({ sample: [20, 5], weight: [100, 900] }))).toBe(6.5);
  expect(recompute('bps_per_year', given({ dollars: 1, seconds: 31_536_000, tvl: 10_000 }))).toBe(1);
});
