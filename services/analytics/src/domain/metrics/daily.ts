import { NET_PPS_DENOMINATOR } from '@castellan/chain';
import { isAfter, type PpsPoint, type Waiver } from '../ledgers/price-ledger.ts';
import { DAY, type Moment } from '../moment.ts';

/** The net PPS at the end of one UTC day. */
export type Close = {
  readonly day: number;
  /** The exact net PPS, over the denominator of all net prices. */
  readonly netNumerator: bigint;
  /**
   * The exact net PPS with what was waived since the first close divided out, over `earnedDenominator`, which all closes of a
   * list share: only its changes are returns.
   */
  readonly earned: bigint;
  readonly earnedDenominator: bigint;
  readonly point: PpsPoint;
  readonly reported: boolean;
};

type NetClose = Omit<Close, 'earned' | 'earnedDenominator'>;

/** Divides waived fees out. What was waived until the last close is a multiple of what was waived until any other. */
function withEarned({ history }: Moment, closes: readonly NetClose[]): Close[] {
  const first = closes[0];
  const last = closes.at(-1);
  if (!first || !last) return [];
  const waivers = history.prices.waiversBetween(first.point, last.point);
  const whole = waivers.reduce((product, { after }) => product * after, 1n);
  let waived = 0;
  let numerator = 1n;
  let left = whole;
  return closes.map((close) => {
    for (; waived < waivers.length && !isAfter(waivers[waived] as Waiver, close.point); waived += 1) {
      numerator *= (waivers[waived] as Waiver).before;
      left /= (waivers[waived] as Waiver).after;
    }
    return {
      ...close,
      earned: close.netNumerator * numerator * left,
      earnedDenominator: NET_PPS_DENOMINATOR * whole,
    };
  });
}

/**
 * Closes of the UTC days that ended in (from, to], by the step rule. `reported` is false for a day without a new price: it adds
 * a false zero.
 */
export function dailyCloses(moment: Moment, from: number, to: number): Close[] {
  const { history, block } = moment;
  const closes: NetClose[] = [];
  const firstTime = history.prices.points[0]?.t;
  if (firstTime === undefined) return [];
  const begin = Math.floor(Math.max(from, firstTime) / DAY) + 1;
  for (let day = begin; day * DAY <= to; day += 1) {
    const end = day * DAY;
    // The value in force at midnight belongs to the day that ends there.
    const point = history.prices.at(end - 1, block);
    if (!point || point.netNumerator === null) continue;
    closes.push({ day: day - 1, netNumerator: point.netNumerator, point, reported: point.t >= end - DAY });
  }
  return withEarned(moment, closes);
}
