import { internalRate } from '../internal-rate.ts';
import {
  ceiled,
  compare,
  decimalText,
  type Exact,
  floored,
  minus,
  nearestDouble,
  over,
  plus,
  read,
  summed,
  times,
  truncated,
  whole,
} from './exact.ts';
import { naturalLog, power, squareRoot } from './roots.ts';
import type { Sign } from './syntax.ts';

/** Every value is a list; a single number is a list of one. */
export type List = readonly Exact[];
type Call = (values: readonly List[]) => List;

/** The one number of a list. @throws {SyntaxError} when there are more or none. */
export function single(list: List | undefined): Exact {
  const [value] = list ?? [];
  if (value === undefined || list?.length !== 1)
    throw new SyntaxError('The formula needs one number where it has a list or nothing.');
  return value;
}

/** Combines lists item by item; a single number goes with each item. */
export function paired(a: List, b: List, combine: (a: Exact, b: Exact) => Exact): List {
  const left = a[0];
  const right = b[0];
  if (a.length === 1 && left) return b.map((value) => combine(left, value));
  if (b.length === 1 && right) return a.map((value) => combine(value, right));
  if (a.length !== b.length) throw new SyntaxError('The formula combines lists of unequal length.');
  return a.map((value, at) => combine(value, b[at] as Exact));
}

const holds = (isTrue: boolean): Exact => whole(isTrue ? 1n : 0n);

/** What each sign does; comparisons give 1 or 0. */
export const operations: Readonly<Record<Sign, (a: Exact, b: Exact) => Exact>> = {
  '+': plus,
  '-': minus,
  x: times,
  '/': over,
  '^': power,
  '<': (a, b) => holds(compare(a, b) < 0),
  '>': (a, b) => holds(compare(a, b) > 0),
  '<=': (a, b) => holds(compare(a, b) <= 0),
  '>=': (a, b) => holds(compare(a, b) >= 0),
  '=': (a, b) => holds(compare(a, b) === 0),
};

const lesser = (a: Exact, b: Exact): Exact => (compare(b, a) < 0 ? b : a);
const greater = (a: Exact, b: Exact): Exact => (compare(b, a) > 0 ? b : a);
const each =
  (of: (value: Exact) => Exact): Call =>
  ([list = []]) =>
    list.map(of);

function most(values: readonly List[], choose: (a: Exact, b: Exact) => Exact): List {
  const all = values.flat();
  if (all.length === 0) throw new SyntaxError('The formula asks for an extreme of nothing.');
  return [all.reduce(choose)];
}

const sorted = (list: List): List => [...list].sort(compare);

const placeOf = (list: List | undefined): number => Number(truncated(single(list)));

function nth([list = [], place]: readonly List[]): List {
  const found = list[placeOf(place) - 1];
  if (!found) throw new SyntaxError('The formula asks for a place that the list does not have.');
  return [found];
}

/** The highest value up to each place. */
function runningMax([list = []]: readonly List[]): List {
  let highest: Exact | undefined;
  return list.map((value) => {
    highest = highest === undefined ? value : greater(highest, value);
    return highest;
  });
}

/**
 * Autocorrelations at lags 1, 2, ... before the first that chance alone explains, one within 1.96 / sqrt(n), and at most
 * floor(10 x log10(n)) of them: a rule with an end that arithmetic in one line cannot say.
 */
function leadingAutocorrelations([list = []]: readonly List[]): List {
  const n = BigInt(list.length);
  const mean = over(summed(list), whole(n));
  const distances = list.map((value) => minus(value, mean));
  const spread = summed(distances.map((value) => times(value, value)));
  const found: Exact[] = [];
  // lag <= 10 x log10(n), as whole numbers.
  for (let lag = 1; lag < list.length && 10n ** BigInt(lag) <= n ** 10n; lag += 1) {
    const together = summed(distances.slice(lag).map((value, at) => times(value, distances[at] as Exact)));
    const rho = over(together, spread);
    if (compare(times(times(rho, rho), whole(n)), { n: 38_416n, d: 10_000n }) <= 0) break;
    found.push(rho);
  }
  return found;
}

/** The yearly rate at which amounts of so many seconds before the moment come to nothing: it has to be searched for. */
function internalRateOf([amounts = [], seconds = []]: readonly List[]): List {
  if (amounts.length !== seconds.length) throw new SyntaxError('The formula combines lists of unequal length.');
  const flows = amounts.map((amount, at) => ({
    amount: truncated(amount),
    seconds: placeOf(seconds.slice(at, at + 1)),
  }));
  const rate = internalRate(flows);
  if (rate === undefined) throw new SyntaxError('The formula asks for a rate that amounts do not have.');
  return [read(`${rate}`)];
}

/** Functions of printed formulas; `count` and `if` are of the language, as they do not need all their values. */
export const functions: Readonly<Record<string, Call>> = {
  abs: each(({ n, d }) => ({ n: n < 0n ? -n : n, d })),
  floor: each((value) => whole(floored(value))),
  ceil: each((value) => whole(ceiled(value))),
  trunc: each((value) => whole(truncated(value))),
  sqrt: each(squareRoot),
  ln: each(naturalLog),
  sum: ([list = []]) => [summed(list)],
  product: ([list = []]) => [list.reduce(times, whole(1n))],
  max: (values) => most(values, greater),
  min: (values) => most(values, lesser),
  pairwise_min: ([a = [], b = []]) => paired(a, b, lesser),
  running_max: runningMax,
  sort: ([list = []]) => sorted(list),
  largest: ([list = [], count]) => [...sorted(list)].reverse().slice(0, placeOf(count)),
  nth,
  places: ([list = []]) => list.map((_, at) => whole(BigInt(at + 1))),
  skip: ([list = [], count]) => list.slice(placeOf(count)),
  drop: ([list = [], count]) => list.slice(0, Math.max(0, list.length - placeOf(count))),
  leading_autocorrelations: leadingAutocorrelations,
  internal_rate: internalRateOf,
};

/** How the last step of a formula may round or write its result. */
export const endings: Readonly<Record<string, (value: Exact) => number | string>> = {
  double: ({ n, d }) => nearestDouble(n, d),
  decimal: decimalText,
};
