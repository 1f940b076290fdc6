import { YEAR_SECONDS } from './metric-math.ts';
import { sum } from './ratio.ts';

/** What somebody put in (negative) or got out (positive), and how many seconds before the moment. */
export type DatedAmount = { readonly amount: bigint; readonly seconds: number };

/** e^x beyond this is no double. */
const MOST = 700;

/**
 * The yearly rate at which all amounts come to nothing at the moment: the sum of amount x (1 + rate)^(seconds / year) is 0. Of several
 * it is the one on the side of the gain or loss that is nearest to 0. Undefined when there is none.
 */
export function internalRate(flows: readonly DatedAmount[]): number | undefined {
  const gain = Number(sum(flows.map(({ amount }) => amount)));
  if (gain === 0) return 0;
  const years = flows.map(({ seconds }) => seconds / YEAR_SECONDS);
  const amounts = flows.map(({ amount }) => Number(amount));
  // With expm1 what small rates add is not lost beside the amounts themselves.
  const left = (x: number) =>
    amounts.reduce((total, amount, at) => total + amount * Math.expm1(x * (years[at] ?? 0)), gain);
  const slope = (x: number) =>
    amounts.reduce((total, amount, at) => total + amount * (years[at] ?? 0) * Math.exp(x * (years[at] ?? 0)), 0);
  const longest = Math.max(1, ...years);
  const hasTurned = (x: number) => left(x) < 0 !== gain < 0;
  let outer = Math.sign(gain) / 1_000;
  while (!hasTurned(outer)) {
    outer *= 2;
    if (Math.abs(outer) * longest > MOST) return undefined;
  }
  const rate = Math.expm1(rootBetween(outer, left, slope, hasTurned));
  // So fast a loss that a double cannot tell it from losing all.
  return rate > -1 ? rate : undefined;
}

/** Newton's steps, halved where they would leave the bracket from 0 to `outer`. */
function rootBetween(
  outer: number,
  left: (x: number) => number,
  slope: (x: number) => number,
  hasTurned: (x: number) => boolean,
): number {
  let near = 0;
  let far = outer;
  let x = outer / 2;
  for (let step = 0; step < 200; step += 1) {
    if (hasTurned(x)) far = x;
    else near = x;
    const newton = x - left(x) / slope(x);
    const isInside = (newton - near) * (newton - far) < 0;
    const next = isInside ? newton : (near + far) / 2;
    if (Math.abs(next - x) <= Math.abs(x) * 1e-16) return next;
    x = next;
  }
  return x;
}
