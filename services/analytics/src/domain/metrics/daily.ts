import type { PpsPoint } from '../ledgers/price-ledger.ts';
import { DAY, type Moment } from '../moment.ts';

/** The net PPS at the end of one UTC day. */
export type Close = {
  readonly day: number;
  readonly net: bigint;
  /** The same with what was waived since the first close divided out: only its changes are returns. */
  readonly earned: bigint;
  readonly point: PpsPoint;
  readonly reported: boolean;
};

/**
 * Closes of the UTC days that ended in (from, to], by the step rule. `reported` is false for a day without a new price: it adds
 * a false zero.
 */
export function dailyCloses({ history, block }: Moment, from: number, to: number): Close[] {
  const closes: Close[] = [];
  const firstTime = history.prices.points[0]?.t;
  if (firstTime === undefined) return closes;
  const begin = Math.floor(Math.max(from, firstTime) / DAY) + 1;
  for (let day = begin; day * DAY <= to; day += 1) {
    const end = day * DAY;
    // The value in force at midnight belongs to the day that ends there.
    const point = history.prices.at(end - 1, block);
    if (!point || point.net === null) continue;
    const { numerator, denominator } = history.prices.waived(closes[0]?.point ?? point, point);
    const earned = (point.net * numerator) / denominator;
    closes.push({ day: day - 1, net: point.net, earned, point, reported: point.t >= end - DAY });
  }
  return closes;
}
