import { type Asked, checksum, envelope, gridOf, power, rangeAsked, rangeFields, root } from './answer-parts.ts';
import { amount, type ChainRecord, named, remembered } from './chain-record.ts';
import { unruled } from './coverage.ts';
import { lastAt, logOf, minus, one, type Ratio, times, toNumber, within } from './numbers.ts';
import { annualised, endsOf, gainOf, observationsOf } from './prices.ts';
import { DAY, isoOf, YEAR } from './time.ts';
import { dailyReturns, deviation, ENOUGH, MEANINGFUL, mean } from './volatility.ts';

type Rate = { time: bigint; value: bigint };

/** Yearly rates that the feed of the asset's benchmark answered, in chain order. */
const ratesOf = remembered((record: ChainRecord): Rate[] =>
  named(record, 'benchmark', 'AnswerUpdated').map((event) => ({ time: event.time, value: amount(event, 'current') })),
);

/** Simple interest at one rate. */
const earned = ({ benchmarkScale }: ChainRecord, { value }: Rate, seconds: bigint): Ratio => ({
  over: benchmarkScale * YEAR + value * seconds,
  under: benchmarkScale * YEAR,
});

/** What 1 grows to between two times: interest is added when the rate changes. Null before the first rate. */
export function benchmarkGrowth(record: ChainRecord, from: bigint, to: bigint): Ratio | null {
  const rates = ratesOf(record);
  const first = lastAt(rates, from);
  if (!first) return null;
  const changes = [{ ...first, time: from }, ...within(rates, from, to)];
  return changes.map((rate, at) => earned(record, rate, (changes[at + 1]?.time ?? to) - rate.time)).reduce(times, one);
}

/** Logarithmic return of the day that ends at a midnight, at the rate in force when it began; null before the first rate. */
export function benchmarkDay(record: ChainRecord, midnight: bigint): number | null {
  const rates = ratesOf(record);
  // Without any rate the asset is only held.
  if (rates.length === 0) return 0;
  const rate = lastAt(rates, midnight - DAY);
  return rate ? logOf(earned(record, rate, DAY), one) : null;
}

/** What `performance` says of the benchmark of a range. */
export function benchmarkFields({ record }: Asked, { from, to }: { from: bigint; to: bigint }) {
  const first = ratesOf(record)[0];
  if (!first || !record.deployment.benchmark)
    return { name: 'holding the asset', version: '1', rate: 0, source: 'holding' };
  const { name, version } = record.deployment.benchmark;
  const start = first.time > from ? first.time : from;
  const growth = start < to ? benchmarkGrowth(record, start, to) : null;
  const rate = growth ? power(annualised(toNumber(minus(growth, one)), to - start)) : 0;
  return { name, version, source: 'feed', rate };
}

const gain = (growth: Ratio | null): number | null => growth && toNumber(minus(growth, one));

/** Return of the range less that of the benchmark between the same two reports. */
export function excessOf(record: ChainRecord, { from, to }: { from: bigint; to: bigint }): number | null {
  const ends = endsOf(observationsOf(record), to, from);
  const growth = ends && benchmarkGrowth(record, ends.start.time, ends.end.time);
  if (!ends || !growth || ends.start.time === ends.end.time) return null;
  return toNumber(minus(gainOf(ends), minus(growth, one)));
}

/** Differences of the daily returns from those of the benchmark. */
function differences(asked: Asked) {
  const { record } = asked;
  const returns = dailyReturns(observationsOf(record), rangeAsked(asked));
  const against = returns.map(({ day }) => benchmarkDay(record, day));
  const known = against.every((value) => value !== null) && ratesOf(record).length > 0;
  if (returns.length < ENOUGH || !known) return { days: returns.length, error: null, information: null };
  const gaps = returns.map(({ log }, at) => log - (against[at] as number));
  const error = deviation(gaps) * Math.sqrt(365);
  const information = error >= MEANINGFUL ? (mean(gaps) / deviation(gaps)) * Math.sqrt(365) : null;
  return { days: returns.length, error, information };
}

export function benchmark(asked: Asked) {
  const { record } = asked;
  const range = rangeAsked(asked);
  const observations = observationsOf(record);
  const ends = endsOf(observations, range.to, range.from);
  const start = ends?.start.time ?? range.from;
  const fields = benchmarkFields(asked, range);
  const feed = record.deployment.benchmarkFeed;
  const { days, error, information } = differences(asked);
  const gained = (time: bigint): number | null => {
    const last = lastAt(observations, time);
    return ends && last && last.time > start ? toNumber(gainOf({ start: ends.start, end: last })) : null;
  };
  return {
    ...envelope(asked),
    ...rangeFields(asked),
    interval_seconds: unruled,
    benchmark: { ...fields, address: fields.source === 'feed' ? checksum(feed) : null },
    vault_return: gained(range.to),
    benchmark_return: ends ? gain(benchmarkGrowth(record, start, ends.end.time)) : null,
    excess_return: excessOf(record, range),
    tracking_error: root(error),
    information_ratio: root(information),
    days,
    points: gridOf(asked, range, true)
      .filter((time) => time > start)
      .map((time) => ({
        t: isoOf(time),
        vault: gained(time),
        benchmark: gain(benchmarkGrowth(record, start, time)),
      })),
  };
}
