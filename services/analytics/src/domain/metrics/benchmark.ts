import { type Benchmark, type Growth, growthBetween, growthOfDay, valueAt, wholeGrowth } from '../benchmark.ts';
import { computed, type Figure, figure, type Input } from '../figure.ts';
import { annualised } from '../metric-math.ts';
import { DAY, given, type Moment } from '../moment.ts';
import { written } from '../plain-figures.ts';
import { ratio } from '../ratio.ts';
import { isoOf } from '../timeline.ts';
import { returnInputs, returnOver, type Span } from './apy-and-returns.ts';
import type { Close } from './daily.ts';

/** What the asset itself yields when it is only held: what ratios are measured against where the asset has no benchmark. */
const holding = { name: 'holding the asset', version: '1', rate: 0 } as const;

/** Why a figure has no value where vaults of the asset have nothing to be measured by. */
export const noBenchmark = 'no benchmark is set for this asset';

/** Levels, and all of a file, that are older than this at the end of a window say little about it. */
const OLDEST = 7 * DAY;

const saidOf = ({ name, version }: Pick<Benchmark, 'name' | 'version'>): string => `${name}, version ${version}`;

/** What the steps of a growth rest on. A rate is written as a decimal. */
function growthInputs(benchmark: Benchmark, steps: readonly Growth[]): Input[] {
  const input = (name: string, value: bigint | string, unit: string, at: Input['at'], source: string): Input => ({
    name,
    value,
    unit,
    at,
    source: `${saidOf(benchmark)}: ${source}`,
  });
  return steps.flatMap((step): Input[] => {
    if (step.kind === 'level') {
      const { from, to } = step;
      return [
        input('benchmark_before', step.before, 'level', from.at, from.source),
        input('benchmark_after', step.after, 'level', to.at, to.source),
      ];
    }
    const { rate, seconds } = step;
    return [
      input('benchmark_rate', decimalOf(rate.value, rate.decimals), 'fraction per year', rate.at, rate.source),
      given('benchmark_seconds', seconds, 'seconds', 'how long the rate was in force'),
    ];
  });
}

/** A whole number over 10^decimals as decimal text, exactly. */
function decimalOf(value: bigint, decimals: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  const fraction = digits.slice(at).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, at)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Why figures that end at a time rest on too old a value; undefined when they do not. A rate on chain holds until it changes. */
function staleReason(benchmark: Benchmark, end: number): string | undefined {
  const last = valueAt(benchmark, end);
  const holds = benchmark.source === 'feed' && benchmark.measure === 'yearly_rate';
  if (!last || holds || end - last.time <= OLDEST) return undefined;
  return `the last value of the benchmark is of ${isoOf(last.time)}`;
}

type Found = { readonly benchmark: Benchmark; readonly steps: readonly Growth[] };

/** The benchmark over a span of time, or why there is none. */
function foundOver(moment: Moment, from: number, to: number): Found | string {
  const benchmark = moment.history.benchmarkAt(moment.block);
  if (!benchmark) return noBenchmark;
  const steps = growthBetween(benchmark, from, to);
  return steps === null ? `the benchmark begins later than ${isoOf(from)}` : { benchmark, steps };
}

const isObserved = ({ source }: Benchmark): boolean => source === 'yield_source';

/** What the benchmark of the asset returned between two times, in seconds. Fraction, signed. */
export function benchmarkReturn(moment: Moment, from: number, to: number): Figure {
  const found = foundOver(moment, from, to);
  const unit = 'fraction';
  const method = 'benchmark_return';
  if (typeof found === 'string')
    return figure({ value: null, unit, method, reason: found, sampleSize: 0, inputs: () => [] });
  const { benchmark, steps } = found;
  const { numerator, denominator } = wholeGrowth(steps);
  const stale = staleReason(benchmark, to);
  return figure({
    value: ratio(numerator - denominator, denominator),
    unit,
    method,
    status: stale === undefined ? 'ok' : 'stale',
    reason: stale ?? null,
    window: { from, to },
    sampleSize: steps.length,
    observed: isObserved(benchmark),
    inputs: () => growthInputs(benchmark, steps),
  });
}

/** R less what the benchmark returned between the same two observations. Fraction, signed. */
export function excessOver(moment: Moment, span: Span | undefined): Figure {
  const own = returnOver(moment, span);
  const nothing = (reason: string | null) =>
    figure({ value: null, unit: 'fraction', method: 'excess_return', reason, sampleSize: 0, inputs: () => [] });
  if (!span || own.value === null) return nothing(own.reason);
  const found = foundOver(moment, span.start.t, span.end.t);
  if (typeof found === 'string') return nothing(found);
  const { benchmark, steps } = found;
  const stale = staleReason(benchmark, span.end.t);
  // The difference of two numbers that are nearly the same: computed exactly, as it is printed.
  return computed({
    unit: 'fraction',
    method: 'excess_return',
    status: stale === undefined ? own.status : 'stale',
    reason: stale ?? own.reason,
    window: own.window,
    sampleSize: own.sampleSize,
    gaps: own.gaps,
    observed: own.observed || isObserved(benchmark),
    inputs: () => [...returnInputs(moment, span), ...growthInputs(benchmark, steps)],
  });
}

/** The name of a benchmark as answers carry it, with the rate of a year that it earned over a range. */
type NamedRate = { name: string; version: string; source: Benchmark['source'] | 'holding'; rate: Figure };

/**
 * What vaults of the asset are measured by, and what it earned a year between two times, from its first value on; of none that is
 * holding the asset.
 */
export function benchmarkRate(moment: Moment, from: number, to: number): NamedRate {
  const benchmark = moment.history.benchmarkAt(moment.block);
  const first = benchmark?.values[0];
  const { name, version } = benchmark ?? holding;
  const still = (source: NamedRate['source']): NamedRate => ({
    name,
    version,
    source,
    rate: written(holding.rate, 'fraction per year', { source: saidOf({ name, version }) }),
  });
  if (!benchmark || !first) return still('holding');
  const start = Math.max(from, first.time);
  const steps = start < to ? growthBetween(benchmark, start, to) : null;
  // A series that has not begun to move earned nothing.
  if (steps === null) return still(benchmark.source);
  const { numerator, denominator } = wholeGrowth(steps);
  const rate = figure({
    value: annualised(ratio(numerator - denominator, denominator), to - start),
    unit: 'fraction per year',
    method: 'benchmark_rate',
    status: start > from ? 'partial' : 'ok',
    reason: start > from ? 'the benchmark begins later than the range' : null,
    window: { from: start, to },
    sampleSize: steps.length,
    observed: isObserved(benchmark),
    inputs: () => [
      ...growthInputs(benchmark, steps),
      given('t_start', start, 'seconds', 'the range'),
      given('t_end', to, 'seconds', 'the range'),
    ],
  });
  return { name, version, source: benchmark.source, rate };
}

/** What daily returns are measured against: `null` is holding the asset, which earns nothing; a text says why it is not known. */
export type DailyBenchmark = {
  readonly found: { readonly benchmark: Benchmark; readonly days: readonly Growth[] } | null;
  readonly missing: string | null;
  /** Logarithmic, one for each daily return; none where nothing is earned. */
  readonly returns: readonly number[];
  readonly said: string;
};

/** The benchmark over the days of daily closes: of each but the first. */
export function dailyBenchmark(moment: Moment, closes: readonly Close[]): DailyBenchmark {
  const benchmark = moment.history.benchmarkAt(moment.block);
  if (!benchmark) return { found: null, missing: null, returns: [], said: saidOf(holding) };
  const said = saidOf(benchmark);
  const days = closes.slice(1).map(({ day }) => growthOfDay(benchmark, day));
  if (days.includes(null)) return { found: null, missing: `${said}, begins later than these days`, returns: [], said };
  const found = { benchmark, days: days as Growth[] };
  const returns = found.days.map(({ before, after }) => Math.log1p(ratio(after - before, before)));
  return { found, missing: null, returns, said };
}

/** What the daily returns of a benchmark rest on, in the order of the days. */
export function dailyInputs({ found }: DailyBenchmark): Input[] {
  if (!found) return [];
  return growthInputs(found.benchmark, found.days).filter(({ name }) => name !== 'benchmark_seconds');
}
