import type { Input } from '../figure.ts';
import { DAY } from '../moment.ts';
import { irregularDeviation, logReturns, sampleDeviation } from '../statistics.ts';
import type { Close } from './daily.ts';

/** Daily log returns. */
export const returnsOf = (closes: readonly Close[]): number[] => logReturns(closes.map(({ earned }) => earned));

/** Closes as inputs of a receipt. */
export const closeInputs = (closes: readonly Close[], name = 'close'): Input[] =>
  closes.map(({ earned, earnedDenominator, point, day }) => ({
    name,
    value: earned,
    unit: `pps / ${earnedDenominator}`,
    at: { time: (day + 1) * DAY, block: point.block, tx: point.tx, index: point.index },
    source: 'PPSUpdated, waived fees divided out',
  }));

/** The standard deviation of daily log returns, per day. */
export type DailyDeviation = {
  /** Null with fewer than two closes that count. */
  readonly value: number | null;
  /** Whether more than 20 % of the days had no report: the squares of the moves between reported closes over the days between them. */
  readonly isIrregular: boolean;
  /** What it rests on besides all closes. */
  readonly inputs: () => readonly Input[];
};

/** Whether so many of the days of returns had no report that their closes add false zeros and false jumps. */
export function hasStaleDays(closes: readonly Close[]): boolean {
  const days = closes.slice(1);
  return days.filter(({ reported }) => !reported).length * 5 > days.length;
}

/**
 * By the sample deviation (n - 1) of the daily returns, or where too many of the days had no report, by the irregular estimator.
 * @param returns - Of these closes, where they are known.
 */
export function dailyDeviation(closes: readonly Close[], returns = returnsOf(closes)): DailyDeviation {
  if (!hasStaleDays(closes)) return { value: sampleDeviation(returns), isIrregular: false, inputs: () => [] };
  const places = closes.flatMap(({ reported }, place) => (reported ? [place] : []));
  const reported = places.map((place) => closes[place] as Close);
  // Days without a report return nothing: the return of a reported day is the whole move since the reported one before.
  const moves = places.slice(1).map((place) => returns[place - 1] as number);
  const days = reported.slice(1).map(({ day }, at) => day - (reported[at] as Close).day);
  return {
    value: irregularDeviation(moves, days),
    isIrregular: true,
    inputs: () => [
      ...closeInputs(reported, 'reported_close'),
      ...reported.map(({ day, point }) => ({
        name: 'reported_day',
        value: day,
        unit: 'days since 1970',
        at: { time: (day + 1) * DAY, block: point.block, tx: point.tx, index: point.index },
        source: 'the day of the close',
      })),
    ],
  };
}
