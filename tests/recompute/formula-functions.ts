import { abs, isBelow, minus, one, type Ratio, times, toNumber } from './numbers.ts';
import { autocorrelation } from './volatility.ts';

/** Exact as long as it can be: roots and logarithms are doubles, and what is computed with them. */
export type Value = Ratio | number;
export type List = readonly Value[];

/** The one value of a list. */
export function only(list: List | undefined): Value {
  if (list?.length !== 1) throw new SyntaxError('One number is needed where there is a list or nothing.');
  return list[0] as Value;
}

const real = (value: Value): number => (typeof value === 'number' ? value : toNumber(value));
const exact = (value: Value): Ratio => {
  if (typeof value === 'number') throw new SyntaxError('A whole number is needed where there is a rounded one.');
  return value;
};
const whole = (over: bigint): Ratio => ({ over, under: 1n });
const down = ({ over, under }: Ratio): bigint => over / under - (over % under < 0n ? 1n : 0n);
const place = (list: List | undefined): number => Number(down(exact(only(list))));
const isLess = (a: Value, b: Value): boolean =>
  typeof a === 'number' || typeof b === 'number' ? real(a) < real(b) : isBelow(a, b);
const sorted = (list: List): Value[] => [...list].sort((a, b) => (isLess(a, b) ? -1 : isLess(b, a) ? 1 : 0));
const zero = whole(0n);

function total(list: List): Value {
  if (list.some((value) => typeof value === 'number')) return list.reduce<number>((all, value) => all + real(value), 0);
  const parts = list.map(exact);
  // In halves: unlike denominators then grow least.
  const sum = (from: number, to: number): Ratio => {
    if (to - from < 2) return parts[from] ?? zero;
    const a = sum(from, (from + to) >> 1);
    const b = sum((from + to) >> 1, to);
    return a.under === b.under
      ? { over: a.over + b.over, under: a.under }
      : minus(a, { over: -b.over, under: b.under });
  };
  return sum(0, parts.length);
}

/** Logarithms of what is close to 1 lose no digits. */
const logarithm = (value: Value): number =>
  typeof value === 'number' ? Math.log(value) : Math.log1p(toNumber(minus(value, one)));

/** Those at lags 1, 2, ... before the first within 1.96 / sqrt(n), at most floor(10 x log10(n)). */
function leading(values: readonly number[]): number[] {
  const found: number[] = [];
  for (let lag = 1; lag <= Math.floor(10 * Math.log10(values.length)); lag += 1) {
    const rho = autocorrelation(values, lag);
    if (Math.abs(rho) <= 1.96 / Math.sqrt(values.length)) break;
    found.push(rho);
  }
  return found;
}

const most = (lists: readonly List[], isBetter: (a: Value, b: Value) => boolean): List => {
  const all = lists.flat();
  if (all.length === 0) throw new SyntaxError('An extreme of nothing.');
  return [all.reduce((best, value) => (isBetter(value, best) ? value : best))];
};

/** The rate at which all amounts come to nothing, by halving: independent of how the product finds it. */
export function internalRate(amounts: readonly bigint[], seconds: readonly bigint[]): number | null {
  const gain = Number(amounts.reduce((total, amount) => total + amount, 0n));
  if (gain === 0) return 0;
  const years = seconds.map((each) => Number(each) / 31_536_000);
  const left = (x: number) =>
    amounts.reduce((total, amount, at) => total + Number(amount) * Math.expm1(x * (years[at] as number)), gain);
  const isOver = (x: number) => left(x) < 0 !== gain < 0;
  let far = Math.sign(gain) * 1e-3;
  while (!isOver(far)) {
    far *= 2;
    if (Math.abs(far) * Math.max(1, ...years) > 700) return null;
  }
  let near = 0;
  for (let step = 0; step < 400; step += 1) {
    const middle = (near + far) / 2;
    if (isOver(middle)) far = middle;
    else near = middle;
  }
  const rate = Math.expm1(far);
  return rate > -1 ? rate : null;
}

type Call = (lists: readonly List[]) => List;
const each =
  (of: (value: Value) => Value): Call =>
  ([list = []]) =>
    list.map(of);

export const functions: Record<string, Call> = {
  abs: each((value) => (typeof value === 'number' ? Math.abs(value) : { ...value, over: abs(value.over) })),
  floor: each((value) => whole(down(exact(value)))),
  ceil: each((value) => whole(-down({ ...exact(value), over: -exact(value).over }))),
  trunc: each((value) => whole(exact(value).over / exact(value).under)),
  sqrt: each((value) => Math.sqrt(real(value))),
  ln: each(logarithm),
  sum: ([list = []]) => [total(list)],
  product: ([list = []]) => [list.map(exact).reduce(times, one)],
  max: (lists) => most(lists, (a, b) => isLess(b, a)),
  min: (lists) => most(lists, isLess),
  pairwise_min: ([a = [], b = []]) => a.map((value, at) => (isLess(b[at] as Value, value) ? (b[at] as Value) : value)),
  running_max: ([list = []]) => {
    let highest: Value | undefined;
    return list.map((value) => {
      highest = highest === undefined || isLess(highest, value) ? value : highest;
      return highest;
    });
  },
  sort: ([list = []]) => sorted(list),
  largest: ([list = [], count]) => sorted(list).reverse().slice(0, place(count)),
  nth: ([list = [], at]) => [only(list.slice(place(at) - 1, place(at)))],
  places: ([list = []]) => list.map((_, at) => whole(BigInt(at + 1))),
  skip: ([list = [], count]) => list.slice(place(count)),
  drop: ([list = [], count]) => list.slice(0, Math.max(0, list.length - place(count))),
  leading_autocorrelations: ([list = []]) => leading(list.map(real)),
  internal_rate: ([amounts = [], seconds = []]) => {
    const rate = internalRate(
      amounts.map((each) => exact(each).over),
      seconds.map((each) => exact(each).over),
    );
    if (rate === null) throw new SyntaxError('No rate fits the amounts.');
    return [rate];
  },
};
