import { describe, expect, test } from '@jest/globals';
import { recompute } from '../published-formulas.ts';
import { evaluate } from './evaluate.ts';

/** Inputs by name; a list is several of one name. */
const given = (values: Record<string, unknown>) =>
  Object.entries(values).flatMap(([name, value]) => [value].flat().map((one) => ({ name, value: one })));

/** The formula over those of the values that it names. */
const evaluated = (formula: string, values: Record<string, unknown>) =>
  evaluate(
    formula,
    given(values).filter(({ name }) => new RegExp(`\\b${name}\\b`).test(formula.split(';')[0] ?? '')),
  );

describe('arithmetic', () => {
  test.each([
    ['double(1 + 2 x 3 - 4 / 8)', 6.5],
    ['(1 + 2) x 3', 9n],
    ['8 / 2 / 2', 2n],
    ['7 - 2 - 1', 4n],
    ['2 x 3^2', 18n],
    ['double(sqrt(max(1, 4 - 13, 9)) x rate); what is behind a semicolon is said, not computed (x', 1.5],
    ['double(sum((10 - lag) x rho))', 9 * 0.5 + 8 * 0.25],
    ['1 + sum((10 - none) x none)', 1n],
    ['reports x 86 400 / seconds', 24n],
    ['31 536 000 / 1 000', 31_536n],
    ['max(100 x sum(weight x score) / sum(weight), floor)', 25n],
    ['max(2, lag)', 2n],
    ['sum(lag) / count(weight) + min(1, 5) + 1 / 2', 3n],
    ['floor(0 - 7 / 2) x 100 + ceil(7 / 2) x 10 + trunc(0 - 7 / 2)', -400n + 40n - 3n],
    ['sum(lag < 2) + 10 x sum(lag >= 1) + 100 x sum(lag = 3)', 21n],
    ['decimal(1 050 000 / 10^6)', '1.05'],
    ['decimal(3 / 1 x 10^2)', '300'],
    ['nth(sort(lag), 2) + sum(places(lag)) + nth(running_max(score), 2)', 2n + 3n + 1n],
    ['sum(skip(lag, 1) x drop(lag, 1)) + sum(pairwise_min(lag, weight)) + product(none)', 2n + 3n + 1n],
    ['if(count(none) > 0, 1 / sum(none), 7)', 7n],
    ['double(a + b) where a = b x b, b = 1 / 4', 0.3125],
    ['rate = rate', 1n],
  ])('default: %s is %p', (formula, expected) => {
    const values = { rate: 0.5, lag: [1, 2], rho: [0.5, 0.25], weight: [1, 3], score: [1, 0], floor: [] };
    expect(evaluated(formula, { ...values, reports: 12, seconds: 43_200 })).toBe(expected);
  });

  test('behavior: decimals are as they are written, and whole numbers of any size', () => {
    expect(evaluated('ceil(q x n)', { q: 0.1, n: '300' })).toBe(30n);
    expect(evaluated('sum(part) = 0.3', { part: [0.1, 0.2] })).toBe(1n);
    expect(evaluated('a x a - (a - 1) x (a + 1)', { a: '123456789012345678901234567890' })).toBe(1n);
    expect(evaluated('double(tiny x 10^7)', { tiny: 1e-7 })).toBe(1);
  });

  test('behavior: roots, logarithms and powers keep what a difference of nearly equal numbers leaves', () => {
    // (1 + 1e-30)^2.5 - 1: doubles would give 0.
    expect(evaluated('double((1 + 1 / 10^30)^(5 / 2) - 1)', {})).toBe(2.5e-30);
    expect(evaluated('double(ln(a / b) x 10^18)', { a: `${10n ** 18n + 1n}`, b: `${10n ** 18n}` })).toBeCloseTo(1, 15);
    expect(evaluated('double(ln(1 / 1 024))', {})).toBe(Math.log(1 / 1024));
    expect(evaluated('double(2^(1 / 2) - sqrt(2))', {})).toBeCloseTo(0, 45);
    expect(evaluated('double(3^(0 - 100))', {})).toBe(3 ** -100);
    expect(evaluated('0^(1 / 3)', {})).toBe(0n);
    expect(evaluated('sqrt(a)', { a: `${10n ** 40n}` })).toBe(10n ** 20n);
  });
});

describe('refusals', () => {
  test.each([
    ['unknown + 1', 'The formula names unknown, which is not given.'],
    ['(1 + 2', 'The formula lacks a closing bracket.'],
    ['1 2', 'The formula goes on with 2.'],
    ['1 + ', 'The formula has nothing where it needs a value.'],
    ['list + 1', 'The formula needs one number where it has a list or nothing.'],
    ['sqrt(list)', 'The formula needs one number where it has a list or nothing.'],
    ['magic(1)', 'The formula uses magic(), which is not known.'],
    ['1 / 3', 'The formula gives a fraction and does not say how it is rounded.'],
    ['decimal(1 / 3)', 'The formula gives a fraction without an end.'],
    ['1 / (2 - 2)', 'The formula divides by 0.'],
    ['a where a = a + 1', 'The formula defines a by itself.'],
    ['sum(list + three)', 'The formula combines lists of unequal length.'],
    ['ln(0)', 'The formula takes the logarithm of what is not above 0.'],
    ['nth(list, 3)', 'The formula asks for a place that the list does not have.'],
    ['text + 1', 'abc is not a number.'],
    ['max(nothing)', 'The formula asks for an extreme of nothing.'],
  ])('error: %s', (formula, message) => {
    expect(() => evaluated(formula, { list: [1, 4], three: [1, 2, 3], text: 'abc' })).toThrow(message);
  });

  test('error: an input that the formula does not use, and a step that is not what it gives', () => {
    expect(() => evaluate('1 + 1', given({ more: 1 }))).toThrow('The formula does not use the input more.');
    const formula = 'step x 2 where step = a + 1';
    expect(evaluate(formula, given({ a: 1, step: 2 }))).toBe(4n);
    expect(() => evaluate(formula, given({ a: 1, step: 3 }))).toThrow(
      'The input step is not what the formula gives for it.',
    );
  });
});

test('behavior: what a receipt prints is what its figure is computed by', () => {
  const of = (method: string, values: Record<string, unknown>) => recompute(method, given(values));
  expect(of('weighted_score', { score: [0.5], weight: [0.8], floor: [] })).toBe(50);
  expect(of('weighted_score', { score: [0.5, 0], weight: [0.5, 0.5], floor: [40] })).toBe(40);
  expect(of('component_score', { value: 3_000, score_0: 1_000, score_1: 5_000 })).toBe(0.5);
  expect(of('component_score', { value: 1, score_0: 0.5, score_1: 0 })).toBe(0);
  expect(of('bps_per_year', { dollars: 1, seconds: 31_536_000, tvl: 10_000 })).toBe(1);
  expect(of('weighted_mean', { short: ['20', '5'], expected: ['10000', '10000'], weight: ['100', '900'] })).toBe(6.5);
  expect(
    of('performance_fee', { pps: '1100001', hwm: '1000000', supply: '3', precision: '1000000', fee_bps: '1' }),
  ).toBe(0n);
  expect(of('allocation_share', { amount: ['1', '1', '1'], position: 0 })).toBe(0.333333334);
  expect(of('allocation_share', { amount: ['1', '1', '1'], position: 2 })).toBe(0.333333333);
});
