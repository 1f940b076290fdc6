/** A figure that is not what it should be. */
export type Difference = { path: string; actual: unknown; expected: unknown };

/** What was compared of an answer, what differed, and the paths that no rule is for. */
export type Verdict = { compared: number; differences: Difference[]; unruled: Map<string, number> };

/** Ratios come from different arithmetic on both sides; beyond this relative distance one of them is wrong. */
export const TOLERANCE = 1e-12;

/** What prices of 18 digits cannot distinguish. */
const DIGITS = 1e-20;

/** A number that roots, powers or logarithms went into: equal to a relative distance of its own. */
export class Near {
  readonly value: number | null;
  readonly bound: number;
  constructor(value: number | null, bound: number) {
    this.value = value;
    this.bound = bound;
  }
}

/** There is no rule for these fields. */
export const unruled = Symbol('unruled');

const isClose = (actual: number, expected: number, bound: number): boolean =>
  Math.abs(actual - expected) <= Math.max(bound * Math.max(Math.abs(actual), Math.abs(expected)), DIGITS);

function isSame(actual: unknown, expected: unknown): boolean {
  if (expected instanceof Near)
    return typeof actual === 'number' && typeof expected.value === 'number'
      ? isClose(actual, expected.value, expected.bound)
      : actual === expected.value;
  if (typeof expected === 'number' && typeof actual === 'number')
    return Number.isInteger(expected) && Number.isInteger(actual) && Math.abs(expected) < 2 ** 53
      ? actual === expected
      : isClose(actual, expected, TOLERANCE);
  return actual === expected;
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !(value instanceof Near);

/** The path of a field, of whatever item of a list. */
export const patternOf = (path: string): string => path.replaceAll(/(^|\.)\d+(?=\.|$)/g, '$1*');

export const emptyVerdict = (): Verdict => ({ compared: 0, differences: [], unruled: new Map() });

const countLeaves = (value: unknown): number =>
  isTree(value) ? Object.values(value).reduce<number>((total, part) => total + countLeaves(part), 0) : 1;

function leave(verdict: Verdict, path: string, actual: unknown): void {
  const pattern = patternOf(path);
  verdict.unruled.set(pattern, (verdict.unruled.get(pattern) ?? 0) + countLeaves(actual));
}

/**
 * Holds an answer against what it should be: integers and texts to the last digit, other numbers to 1e-12 relative unless a rule
 * states its own bound. Fields that no rule is for are counted apart, fields that only the rule has are differences.
 */
export function compare(actual: unknown, expected: unknown, verdict: Verdict = emptyVerdict(), path = ''): Verdict {
  const at = (key: string) => (path ? `${path}.${key}` : key);
  if (expected === unruled || expected === undefined) leave(verdict, path, actual);
  else if (isTree(expected) && isTree(actual)) {
    if (Array.isArray(expected) && actual.length !== expected.length)
      verdict.differences.push({ path: at('length'), actual: actual.length, expected: expected.length });
    else
      for (const key of new Set([...Object.keys(actual), ...Object.keys(expected)]))
        compare(actual[key], expected[key], verdict, at(key));
  } else {
    verdict.compared += 1;
    const shown = expected instanceof Near ? expected.value : expected;
    if (!isSame(actual, expected)) verdict.differences.push({ path, actual, expected: shown });
  }
  return verdict;
}
