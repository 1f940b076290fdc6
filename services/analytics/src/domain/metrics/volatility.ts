import { type Figure, figure, type Input } from '../figure.ts';
import { lossesOf, shortfallBeyond } from '../metric-math.ts';
import { DAY, given, type Moment } from '../moment.ts';
import type { Range } from '../range.ts';
import { quantile } from '../ratio.ts';
import {
  adjustedSharpe,
  autocorrelation,
  mean,
  naiveSharpe,
  sampleDeviation,
  significantCorrelations,
  sortinoRatio,
} from '../statistics.ts';
import { type DailyBenchmark, dailyBenchmark, dailyInputs, noBenchmark } from './benchmark.ts';
import { type Close, dailyCloses } from './daily.ts';
import { closeInputs, dailyDeviation, hasStaleDays, returnsOf } from './daily-deviation.ts';

/** Fewer daily returns than this say nothing about volatility. */
export const LEAST_RETURNS = 20;
/** Below this annual volatility a Sharpe ratio is a division by almost nothing. */
export const LEAST_VOLATILITY = 0.005;

const tooFew = (n: number): string => `${n} daily returns; ${LEAST_RETURNS} are needed`;

type Options = Pick<Parameters<typeof figure>[0], 'value' | 'method' | 'unit' | 'reason' | 'observed'> & {
  more?: () => readonly Input[];
  /** What its method rests on, where that is not all closes. */
  closes?: () => readonly Input[];
};

/** The daily closes that figures rest on, one more than returns, and how many returns were asked for; 0 for all there are. */
type Days = { readonly closes: readonly Close[]; readonly days: number };

/** The same with what the returns are measured against. */
export type Sample = Days & { readonly benchmark: DailyBenchmark };

/** The closes that bring a return: all but the first. */
const withReturn = ({ closes }: Days): readonly Close[] => closes.slice(1);

function overCloses(sample: Days, { more = () => [], closes: own, ...options }: Options): Figure {
  const { closes, days } = sample;
  const inputs = own ?? (() => closeInputs(closes));
  const first = closes[0];
  const last = closes.at(-1);
  const n = withReturn(sample).length;
  const enough = n >= LEAST_RETURNS;
  const isWhole = closes.length >= days;
  return figure({
    ...options,
    value: enough ? options.value : null,
    reason: enough ? (options.reason ?? null) : tooFew(n),
    status: hasStaleDays(closes) ? 'stale' : isWhole ? 'ok' : 'partial',
    window: first && last ? { from: (first.day + 1) * DAY, to: (last.day + 1) * DAY } : null,
    sampleSize: n,
    inputs: () => [...inputs(), ...more()],
  });
}

const measured = (moment: Moment, days: Days): Sample => ({
  ...days,
  benchmark: dailyBenchmark(moment, days.closes),
});

/** The returns of the last `days` UTC days. */
export const lastDays = (moment: Moment, days: number): Sample =>
  measured(moment, { closes: dailyCloses(moment, moment.time - (days + 1) * DAY, moment.time), days });

/** The returns of the days that ended within a range. */
export const daysOfRange = (moment: Moment, { period, from, to }: Range): Sample =>
  measured(moment, {
    closes: dailyCloses(moment, from - DAY, to),
    days: period === 'all' ? 0 : Math.floor((to - from) / DAY),
  });

const tooFewReported = 'fewer than two days with a report';

/** Standard deviation of the daily returns of a sample, per day and per year. */
export function volatility(sample: Days) {
  const { value, isIrregular, inputs } = dailyDeviation(sample.closes);
  const common = { ...(isIrregular && { closes: inputs }), reason: value === null ? tooFewReported : null };
  return {
    daily: overCloses(sample, {
      ...common,
      value,
      method: isIrregular ? 'volatility_irregular' : 'volatility',
      unit: 'fraction per day',
    }),
    annual: overCloses(sample, {
      ...common,
      value: value === null ? null : value * Math.sqrt(365),
      method: isIrregular ? 'volatility_irregular_annual' : 'volatility_annual',
      unit: 'fraction per year',
    }),
  };
}

/** What a Sharpe ratio is computed from besides its closes: it follows from these and the benchmark, and a reader sees it. */
function termsOf(closes: readonly Close[], against: DailyBenchmark): { naive: Input[]; adjusted: Input[] } {
  const returns = returnsOf(closes);
  const { value: deviation, inputs } = dailyDeviation(closes);
  const from = 'the daily returns of the closes';
  const benchmark = [
    ...dailyInputs(against),
    given('benchmark_daily', meanOf(against), 'fraction per day', `${against.said}: mean of the days`),
  ];
  if (returns.length === 0) return { naive: benchmark, adjusted: benchmark };
  const naive = [
    ...benchmark,
    given('mean', mean(returns), 'fraction per day', from),
    ...inputs(),
    given('volatility', deviation ?? 0, 'fraction per day', from),
  ];
  const correlations = significantCorrelations(returns).flatMap((rho, index) => [
    given('lag', index + 1, 'days', 'the rule of the formula'),
    given('rho', rho, 'correlation', from),
  ]);
  return { naive, adjusted: [...naive, ...correlations] };
}

/** What the benchmark earned in a day of the sample; holding the asset earns nothing. */
const meanOf = ({ returns }: DailyBenchmark): number => (returns.length === 0 ? 0 : mean(returns));

const isObserved = ({ found }: DailyBenchmark): boolean => found?.benchmark.source === 'yield_source';

/**
 * Annual Sharpe ratio against the named benchmark: `adjusted` for serial correlation (Lo 2002), and `naive` by the square root of
 * time. Null with a reason when the net PPS hardly varies: a number of 30 would be an artefact.
 */
export function sharpe(sample: Sample): { adjusted: Figure; note: string | null; naive: Figure } {
  const { benchmark } = sample;
  const returns = returnsOf(sample.closes);
  const { value: deviation, isIrregular } = dailyDeviation(sample.closes);
  const meaningful = deviation !== null && deviation * Math.sqrt(365) >= LEAST_VOLATILITY;
  const enough = returns.length >= LEAST_RETURNS;
  const note = enough && !meaningful ? (deviation === null ? hardlyReported : hardlyVaries) : null;
  const daily = meanOf(benchmark);
  const terms = () => termsOf(sample.closes, benchmark);
  const isKnown = meaningful && benchmark.missing === null;
  const common = { unit: 'ratio', reason: note ?? benchmark.missing, observed: isObserved(benchmark) };
  return {
    adjusted: overCloses(sample, {
      ...common,
      more: () => terms().adjusted,
      value: isKnown ? adjustedSharpe(returns, daily, deviation) : null,
      method: isIrregular ? 'sharpe_irregular' : 'sharpe',
    }),
    note,
    naive: overCloses(sample, {
      ...common,
      more: () => terms().naive,
      value: isKnown ? naiveSharpe(returns, daily, deviation) : null,
      method: isIrregular ? 'sharpe_naive_irregular' : 'sharpe_naive',
    }),
  };
}

const hardlyReported = 'Not meaningful: fewer than two days had a report.';

/** Terms of a Sharpe ratio that a Sortino ratio has not. */
const ofVolatility: ReadonlySet<string> = new Set(['volatility', 'reported_close', 'reported_day']);

const hardlyVaries = 'Not meaningful: the price varies by less than 0.5 % a year, so the ratio would measure rounding.';

/**
 * Annual Sortino ratio: the mean above the benchmark for the deviation of the days below it alone. Null where a Sharpe ratio means
 * nothing, and when no day was below.
 */
export function sortino(sample: Sample): Figure {
  const { benchmark } = sample;
  const returns = returnsOf(sample.closes);
  const { note } = sharpe(sample);
  const ratio = sortinoRatio(returns, meanOf(benchmark));
  return overCloses(sample, {
    value: note === null && benchmark.missing === null ? ratio : null,
    unit: 'ratio',
    method: 'sortino',
    reason: note ?? benchmark.missing ?? 'no day returned less than the benchmark',
    observed: isObserved(benchmark),
    more: () => termsOf(sample.closes, benchmark).naive.filter(({ name }) => !ofVolatility.has(name)),
  });
}

/**
 * How far the daily returns went from those of the benchmark, a year (sample deviation of the differences), and the mean difference a
 * year for it. The ratio is null with a reason where the differences hardly vary, as a Sharpe ratio is.
 */
export function againstBenchmark(sample: Sample): { trackingError: Figure; informationRatio: Figure } {
  const { benchmark } = sample;
  const gaps = benchmark.found
    ? returnsOf(sample.closes).map((value, at) => value - (benchmark.returns[at] as number))
    : [];
  const deviation = sampleDeviation(gaps);
  const error = deviation === null ? null : deviation * Math.sqrt(365);
  const missing = benchmark.found ? null : (benchmark.missing ?? noBenchmark);
  const isMeaningful = error !== null && error >= LEAST_VOLATILITY;
  const common = { observed: isObserved(benchmark), more: () => dailyInputs(benchmark) };
  return {
    trackingError: overCloses(sample, {
      ...common,
      value: error,
      unit: 'fraction per year',
      method: 'tracking_error',
      reason: missing,
    }),
    informationRatio: overCloses(sample, {
      ...common,
      value: isMeaningful ? (mean(gaps) / (deviation as number)) * Math.sqrt(365) : null,
      unit: 'ratio',
      method: 'information_ratio',
      reason: missing ?? (isMeaningful ? null : hardlyDiffers),
    }),
  };
}

const hardlyDiffers =
  'Not meaningful: the returns differ from those of the benchmark by less than 0.5 % a year, so the ratio would measure rounding.';

/** Serial correlation of daily returns; null below the sample that volatility needs. */
export const firstAutocorrelation = (sample: Days): Figure =>
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
export function daysCounted(sample: Days): { days: Figure; staleDays: Figure } {
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
 * than volatility needs it is marked as partial: it shows how the price moved, not what to expect of it; with too many days without a
 * report as stale.
 */
export function rollingVolatility(closes: readonly Close[], days: number): Figure[] {
  const returns = returnsOf(closes);
  return closes.map((_, index) => {
    const inside = closes.slice(Math.max(0, index - days), index + 1);
    const sampleSize = Math.min(index, days);
    const common = { unit: 'fraction per day', sampleSize };
    if (index < days)
      return figure({
        ...common,
        value: null,
        method: 'volatility',
        reason: `${index} of ${days} daily returns`,
        inputs: () => closeInputs(inside),
      });
    const { value, isIrregular, inputs } = dailyDeviation(inside, returns.slice(index - days, index));
    const short = days < LEAST_RETURNS ? tooFew(days) : null;
    return figure({
      ...common,
      value,
      method: isIrregular ? 'volatility_irregular' : 'volatility',
      status: isIrregular ? 'stale' : short === null ? 'ok' : 'partial',
      reason: value === null ? tooFewReported : short,
      inputs: isIrregular ? inputs : () => closeInputs(inside),
    });
  });
}
