import { add, compare, floor, negate, type Rational, ratio, ZERO } from './rational.ts';

/** A function of the language. */
export type Fn = {
  /** Least and most values it takes. */
  readonly takes: readonly [number, number];
  readonly gives: 'number' | 'boolean';
  readonly about: string;
  /** Absent for `if`, which evaluates one of its values only. */
  readonly apply?: (values: readonly [Rational, ...Rational[]]) => Rational | boolean;
};

const MOST = 16;
const smaller = (a: Rational, b: Rational) => (compare(b, a) < 0 ? b : a);
const larger = (a: Rational, b: Rational) => (compare(b, a) > 0 ? b : a);
const half = ratio(1n, 2n);
const third = (values: readonly Rational[]) => values as readonly [Rational, Rational, Rational];

function round(value: Rational): Rational {
  if (compare(value, ZERO) < 0) return negate(round(negate(value)));
  return ratio(floor(add(value, half)));
}

/** The functions of the language. */
export const functions: Readonly<Record<string, Fn>> = {
  min: { takes: [1, MOST], gives: 'number', about: 'The smallest.', apply: (values) => values.reduce(smaller) },
  max: { takes: [1, MOST], gives: 'number', about: 'The largest.', apply: (values) => values.reduce(larger) },
  abs: {
    takes: [1, 1],
    gives: 'number',
    about: 'Without its sign.',
    apply: ([value]) => (compare(value, ZERO) < 0 ? negate(value) : value),
  },
  clamp: {
    takes: [3, 3],
    gives: 'number',
    about: 'clamp(x, low, high): x, but not below low and not above high; high where the two are crossed.',
    apply: (values) => {
      const [value, low, high] = third(values);
      return smaller(larger(value, low), high);
    },
  },
  between: {
    takes: [3, 3],
    gives: 'boolean',
    about: 'between(x, low, high): low <= x and x <= high.',
    apply: (values) => {
      const [value, low, high] = third(values);
      return compare(low, value) <= 0 && compare(value, high) <= 0;
    },
  },
  floor: { takes: [1, 1], gives: 'number', about: 'Rounded down.', apply: ([value]) => ratio(floor(value)) },
  ceil: { takes: [1, 1], gives: 'number', about: 'Rounded up.', apply: ([value]) => ratio(-floor(negate(value))) },
  round: {
    takes: [1, 1],
    gives: 'number',
    about: 'To the nearest integer, halves away from zero.',
    apply: ([value]) => round(value),
  },
  if: { takes: [3, 3], gives: 'number', about: 'if(condition, then, else): only the chosen value is evaluated.' },
};
