import { type Figure, figure, type Input } from '../figure.ts';
import { lossesOf, shortfallBeyond } from '../metric-math.ts';
import { DAY, given, type Moment } from '../moment.ts';
import type { Range } from '../range.ts';
import { quantile } from '../ratio.ts';
import {
  adjustedSharpe,
  autocorrelation,
  logReturns,
  mean,
  naiveSharpe,
  sampleDeviation,
  significantCorrelations,
  sortinoRatio,
} from '../statistics.ts';
import { benchmark } from './apy-and-returns.ts';
import { type Close, dailyCloses } from './daily.ts';

/** Fewer daily returns than this say nothing about volatility. */
export const LEAST_RETURNS = 20;
/** Below this annual volatility a Sharpe ratio is a division by almost nothing. */
export const LEAST_VOLATILITY = 0.005;

const tooFew = (n: number): string => `${n} daily returns; ${LEAST_RETURNS} are needed`;

/** Daily log returns. */
export const returnsOf = (closes: readonly Close[]): number[] => logReturns(closes.map(({ earned }) => earned));

const inputsOf = (closes: readonly Close[]): Input[] =>
  closes.map(({ earned, earnedDenominator, point, day }) => ({
    name: 'close',
    value: earned,
    unit: `pps / ${earnedDenominator}`,
    at: { time: (day + 1) * DAY, block: point.block, tx: point.tx, index: point.index },
    source: 'PPSUpdated, waived fees divided out',
  }));

type Options = Pick<Parameters<typeof figure>[0], 'value' | 'method' | 'unit' | 'reason'> & {
  more?: () => readonly Input[];
};

/** The daily closes that figures rest on, one more than returns, and how many returns were asked for; 0 for all there are. */
export type Sample = { readonly closes: readonly Close[]; readonly days: number };

/** The closes that bring a return: all but the first. */
const withReturn = ({ closes }: Sample): readonly Close[] => closes.slice(1);

function overCloses(sample: Sample, { more = () => [], ...options }: Options): Figure {
  const { closes, days } = sample;
  const first = closes[0];
  const last = closes.at(-1);
  const n = withReturn(sample).length;
  const enough = n >= LEAST_RETURNS;
  const stale = withReturn(sample).filter(({ reported }) => !reported).length;
  const isWhole = closes.length >= days;
  return figure({
    ...options,
    value: enough ? options.value : null,
    reason: enough ? (options.reason ?? null) : tooFew(n),
    status: stale * 5 > n ? 'stale' : isWhole ? 'ok' : 'partial',
    window: first && last ? { from: (first.day + 1) * DAY, to: (last.day + 1) * DAY } : null,
    sampleSize: n,
    inputs: () => [...inputsOf(closes), ...more()],
  });
}

/** The returns of the last `days` UTC days. */
export const lastDays = (moment: Moment, days: number): Sample => ({
  closes: dailyCloses(moment, moment.time - (days + 1) * DAY, moment.time),
  days,
});

/** The returns of the days that ended within a range. */
export const daysOfRange = (moment: Moment, { period, from, to }: Range): Sample => ({
  closes: dailyCloses(moment, from - DAY, to),
  days: period === 'all' ? 0 : Math.floor((to - from) / DAY),
});

/** Standard deviation of the daily returns of a sample, per day and per year. */
export function volatility(sample: Sample) {
  const deviation = sampleDeviation(returnsOf(sample.closes));
  return {
    daily: overCloses(sample, { value: deviation, method: 'volatility', unit: 'fraction per day' }),
    annual: overCloses(sample, {
      value: deviation === null ? null : deviation * Math.sqrt(365),
      method: 'volatility_annual',
      unit: 'fraction per year',
    }),
  };
}

/** What a Sharpe ratio is computed from besides its closes: they follow from these, and a reader sees them. */
function termsOf(returns: readonly number[], daily: number): { naive: Input[]; adjusted: Input[] } {
  const from = 'the daily returns of the closes';
  const against = given(
    'benchmark_daily',
    daily,
    'fraction per day',
    `${benchmark.name}, version ${benchmark.version}`,
  );
  if (returns.length === 0) return { naive: [against], adjusted: [against] };
  const naive = [
    against,
    given('mean', mean(returns), 'fraction per day', from),
    given('volatility', sampleDeviation(returns) ?? 0, 'fraction per day', from),
  ];
  const correlations = significantCorrelations(returns).flatMap((rho, index) => [
    given('lag', index + 1, 'days', 'the rule of the formula'),
    given('rho', rho, 'correlation', from),
  ]);
  return { naive, adjusted: [...naive, ...correlations] };
}

/**
 * Annual Sharpe ratio against the named benchmark: `adjusted` for serial correlation (Lo 2002), and `naive` by the square root of
 * time. Null with a reason when the net PPS hardly varies: a number of 30 would be an artefact.
 */
export function sharpe(sample: Sample): { adjusted: Figure; note: string | null; naive: Figure } {
  const returns = returnsOf(sample.closes);
  const deviation = sampleDeviation(returns);
  const meaningful = deviation !== null && deviation * Math.sqrt(365) >= LEAST_VOLATILITY;
  const enough = returns.length >= LEAST_RETURNS;
  const note =
    enough && !meaningful
      ? 'Not meaningful: the price varies by less than 0.5 % a year, so the ratio would measure rounding.'
      : null;
  const daily = benchmark.rate / 365;
  const terms = () => termsOf(returns, daily);
  return {
    adjusted: overCloses(sample, {
      unit: 'ratio',
      reason: note,
      more: () => terms().adjusted,
      value: meaningful ? adjustedSharpe(returns, daily) : null,
      method: 'sharpe',
    }),
    note,
    naive: overCloses(sample, {
      unit: 'ratio',
      reason: note,
      more: () => terms().naive,
      value: meaningful ? naiveSharpe(returns, daily) : null,
      method: 'sharpe_naive',
    }),
  };
}

/**
 * Annual Sortino ratio: the mean above the benchmark for the deviation of the days below it alone. Null where a Sharpe ratio means
 * nothing, and when no day was below.
 */
export function sortino(sample: Sample): Figure {
  const returns = returnsOf(sample.closes);
  const daily = benchmark.rate / 365;
  const { note } = sharpe(sample);
  const ratio = sortinoRatio(returns, daily);
  return overCloses(sample, {
    value: note === null ? ratio : null,
    unit: 'ratio',
    method: 'sortino',
    reason: note ?? 'no day returned less than the benchmark',
    more: () => termsOf(returns, daily).naive.filter(({ name }) => name !== 'volatility'),
  });
}

/** Serial correlation of daily returns; null below the sample that volatility needs. */
export const firstAutocorrelation = (sample: Sample): Figure =>
  overCloses(sample, {
    value: autocorrelation(returnsOf(sample.closes), 1),
    method: 'autocorrelation',
    unit: 'correlation',
    reason: 'the returns do not vary',
  });

/** Fewer daily returns than this say nothing about the worst day of a hundred. */
const LEAST_FOR_P99 = 250;

/** Empirical loss quantiles of daily returns of a year, as positive fractions. */
export function valueAtRisk(closes: readonly Close[]) {
  const losses = lossesOf(returnsOf(closes));
  const of = (method: 'value_at_risk' | 'expected_shortfall', value: number | null, q: number): Figure =>
    overCloses(
      { closes, days: 0 },
      {
        value,
        method,
        unit: 'fraction per day',
        reason: q > 0.95 ? `${losses.length} daily returns; ${LEAST_FOR_P99} are needed` : null,
        more: () => [given('q', q, 'fraction', 'definition')],
      },
    );
  return {
    p95: of('value_at_risk', quantile(losses, 0.95) ?? null, 0.95),
    p99: of('value_at_risk', losses.length >= LEAST_FOR_P99 ? (quantile(losses, 0.99) ?? null) : null, 0.99),
    expected_shortfall_95: of('expected_shortfall', shortfallBeyond(losses, 0.95), 0.95),
  };
}

const dayInput =
  (name: string) =>
  ({ point, day, reported }: Close): Input => ({
    name,
    value: reported ? 'reported' : 'not reported',
    unit: 'day',
    at: { time: (day + 1) * DAY, block: point.block, tx: point.tx, index: point.index },
    source: 'PPSUpdated',
  });

/** How many daily returns a sample has, and how many of their days brought no new price. */
export function daysCounted(sample: Sample): { days: Figure; staleDays: Figure } {
  const days = withReturn(sample);
  const count = (list: readonly Close[]): Figure =>
    figure({
      value: list.length,
      unit: 'days',
      method: 'count',
      sampleSize: list.length,
      inputs: () => list.map(dayInput('item')),
    });
  return { days: count(days), staleDays: count(days.filter(({ reported }) => !reported)) };
}

/**
 * Daily volatility over the `days` returns that end with each close; without a value before there are as many. Over fewer returns
 * than volatility needs it is marked as partial: it shows how the price moved, not what to expect of it.
 */
export function rollingVolatility(closes: readonly Close[], days: number): Figure[] {
  const returns = returnsOf(closes);
  return closes.map((_, index) => {
    const isComplete = index >= days;
    return figure({
      value: isComplete ? sampleDeviation(returns.slice(index - days, index)) : null,
      unit: 'fraction per day',
      method: 'volatility',
      status: days < LEAST_RETURNS ? 'partial' : 'ok',
      reason: isComplete ? (days < LEAST_RETURNS ? tooFew(days) : null) : `${index} of ${days} daily returns`,
      sampleSize: Math.min(index, days),
      inputs: () => inputsOf(closes.slice(Math.max(0, index - days), index + 1)),
    });
  });
}
