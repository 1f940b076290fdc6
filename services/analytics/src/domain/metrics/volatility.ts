import { type Figure, figure, type Input } from '../figure.ts';
import { DAY, given, type Moment } from '../moment.ts';
import { ascending, quantile } from '../ratio.ts';
import { adjustedSharpe, autocorrelation, logReturns, mean, plainSharpe, sampleDeviation } from '../statistics.ts';
import { type Close, dailyCloses } from './daily.ts';
import { benchmark } from './returns.ts';

/** Fewer daily returns than this say nothing about volatility. */
export const LEAST_RETURNS = 20;
/** Below this annual volatility a Sharpe ratio is a division by almost nothing. */
export const LEAST_VOLATILITY = 0.005;

export const returnsOf = (closes: readonly Close[]): number[] => logReturns(closes.map(({ earned }) => earned));

const inputsOf = (closes: readonly Close[]): Input[] =>
  closes.map(({ earned, point, day }) => ({
    name: 'close',
    value: earned,
    unit: 'pps',
    at: { time: (day + 1) * DAY, block: point.block, tx: point.tx, index: point.index },
    source: 'PPSUpdated, waived fees divided out',
  }));

type Options = Pick<Parameters<typeof figure>[0], 'value' | 'method' | 'unit' | 'reason'> & { more?: readonly Input[] };

function overCloses(closes: readonly Close[], days: number, { more = [], ...options }: Options): Figure {
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
    inputs: () => [...inputsOf(closes), ...more],
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

/**
 * Annual Sharpe ratio against the named benchmark, scaled for serial correlation. Null with a reason when the net PPS hardly
 * varies: a number of 30 would be an artefact.
 */
export function sharpe(moment: Moment, days: number): { figure: Figure; note: string | null; plain: number | null } {
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
  return {
    figure: overCloses(closes, days, {
      value: meaningful ? adjustedSharpe(returns, daily) : null,
      method: 'sharpe',
      unit: 'ratio',
      reason: note,
      more: [given('benchmark_daily', daily, 'fraction per day', `${benchmark.name}, version ${benchmark.version}`)],
    }),
    note,
    plain: meaningful && enough ? plainSharpe(returns, daily) : null,
  };
}

/** Serial correlation of daily returns; null below the sample that volatility needs. */
export function firstAutocorrelation(closes: readonly Close[]): number | null {
  const returns = returnsOf(closes);
  return returns.length >= LEAST_RETURNS ? autocorrelation(returns, 1) : null;
}

/** Empirical loss quantiles of daily returns, as positive fractions; 99 % needs 250 days. */
export function valueAtRisk(closes: readonly Close[]) {
  const losses = ascending(returnsOf(closes).map((value) => -Math.expm1(value)));
  const p95 = losses.length >= LEAST_RETURNS ? (quantile(losses, 0.95) ?? null) : null;
  const p99 = losses.length >= 250 ? (quantile(losses, 0.99) ?? null) : null;
  const beyond = p95 === null ? [] : losses.filter((loss) => loss >= p95);
  return { p95, p99, expected_shortfall_95: beyond.length === 0 ? null : mean(beyond) };
}

/** Daily volatility over the `days` closes that end with each close. */
export function rollingVolatility(closes: readonly Close[], days: number): (number | null)[] {
  const returns = returnsOf(closes);
  return closes.map((_, index) => (index < days ? null : sampleDeviation(returns.slice(index - days, index))));
}
