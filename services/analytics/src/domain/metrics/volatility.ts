import { type Figure, figure, type Input } from '../figure.ts';
import { lossesOf, shortfallBeyond } from '../formulas.ts';
import { DAY, given, type Moment } from '../moment.ts';
import { quantile } from '../ratio.ts';
import {
  adjustedSharpe,
  autocorrelation,
  logReturns,
  mean,
  naiveSharpe,
  sampleDeviation,
  significantCorrelations,
} from '../statistics.ts';
import { type Close, dailyCloses } from './daily.ts';
import { benchmark } from './returns.ts';

/** Fewer daily returns than this say nothing about volatility. */
export const LEAST_RETURNS = 20;
/** Below this annual volatility a Sharpe ratio is a division by almost nothing. */
export const LEAST_VOLATILITY = 0.005;

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

function overCloses(closes: readonly Close[], days: number, { more = () => [], ...options }: Options): Figure {
  const first = closes[0];
  const last = closes.at(-1);
  const enough = closes.length - 1 >= LEAST_RETURNS;
  const stale = closes.filter(({ reported }) => !reported).length;
  const isWhole = closes.length >= days;
  return figure({
    ...options,
    value: enough ? options.value : null,
    reason: enough
      ? (options.reason ?? null)
      : `${Math.max(0, closes.length - 1)} daily returns; ${LEAST_RETURNS} are needed`,
    status: stale * 5 > closes.length ? 'stale' : isWhole ? 'ok' : 'partial',
    window: first && last ? { from: (first.day + 1) * DAY, to: (last.day + 1) * DAY } : null,
    sampleSize: Math.max(0, closes.length - 1),
    inputs: () => [...inputsOf(closes), ...more()],
  });
}

/** Closes of the last `days` UTC days, one more for the first return. */
export const closesOf = (moment: Moment, days: number): Close[] =>
  dailyCloses(moment, moment.time - (days + 1) * DAY, moment.time);

export function volatility(moment: Moment, days: number) {
  const closes = closesOf(moment, days);
  const deviation = sampleDeviation(returnsOf(closes));
  return {
    daily: overCloses(closes, days, { value: deviation, method: 'volatility', unit: 'fraction per day' }),
    annual: overCloses(closes, days, {
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
export function sharpe(moment: Moment, days: number): { adjusted: Figure; note: string | null; naive: Figure } {
  const closes = closesOf(moment, days);
  const returns = returnsOf(closes);
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
    adjusted: overCloses(closes, days, {
      unit: 'ratio',
      reason: note,
      more: () => terms().adjusted,
      value: meaningful ? adjustedSharpe(returns, daily) : null,
      method: 'sharpe',
    }),
    note,
    naive: overCloses(closes, days, {
      unit: 'ratio',
      reason: note,
      more: () => terms().naive,
      value: meaningful ? naiveSharpe(returns, daily) : null,
      method: 'sharpe_naive',
    }),
  };
}

/** Serial correlation of daily returns; null below the sample that volatility needs. */
export const firstAutocorrelation = (closes: readonly Close[], days: number): Figure =>
  overCloses(closes, days, {
    value: autocorrelation(returnsOf(closes), 1),
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
    overCloses(closes, 0, {
      value,
      method,
      unit: 'fraction per day',
      reason: q > 0.95 ? `${losses.length} daily returns; ${LEAST_FOR_P99} are needed` : null,
      more: () => [given('q', q, 'fraction', 'definition')],
    });
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

/** How many days a figure of daily closes rests on, and how many of them brought no new price. */
export function daysCounted(closes: readonly Close[]): { days: Figure; staleDays: Figure } {
  const count = (list: readonly Close[]): Figure =>
    figure({
      value: list.length,
      unit: 'days',
      method: 'count',
      sampleSize: list.length,
      inputs: () => list.map(dayInput('item')),
    });
  return { days: count(closes), staleDays: count(closes.filter(({ reported }) => !reported)) };
}

/** Daily volatility over the `days` returns that end with each close; null before there are as many. */
export function rollingVolatility(closes: readonly Close[], days: number): (Figure | null)[] {
  const returns = returnsOf(closes);
  return closes.map((_, index) =>
    index < days
      ? null
      : figure({
          value: sampleDeviation(returns.slice(index - days, index)),
          unit: 'fraction per day',
          method: 'volatility',
          sampleSize: days,
          inputs: () => inputsOf(closes.slice(index - days, index + 1)),
        }),
  );
}
