import { type Fact, factBenchmarks } from './facts.ts';
import type { Place } from './figure.ts';
import type { Observation } from './observation.ts';
import { countAtBlock, DAY, type Dated, lastAtTime, within } from './timeline.ts';

/** What the values of a series are: rates of a year (0.045 is 4.5 %), or levels of an index, of which only the change counts. */
export type Measure = 'yearly_rate' | 'level';

/** One value, over 10^decimals, in force until the next; `at` is its place on the chain, undefined of a file. */
export type BenchmarkValue = Dated & {
  readonly value: bigint;
  readonly decimals: number;
  readonly at: Place | undefined;
  readonly source: string;
};

/** What names a series. `address` is the contract it is read from, null of a file. */
export type BenchmarkName = {
  readonly name: string;
  readonly version: string;
  readonly measure: Measure;
  readonly source: 'feed' | 'file' | 'yield_source';
  readonly address: string | null;
};

/** A named series as it was known at a block; values are ascending by time and by block, at least one. */
export type Benchmark = BenchmarkName & { readonly values: readonly BenchmarkValue[] };

/** Where a series comes from. */
export type BenchmarkSource = {
  /** What is known at the end of a block; null before the first value. */
  at(block: number): Benchmark | null;
  /** Takes in what was observed of a vault. */
  observed?(seen: Observation): void;
};

const knownAt = (name: BenchmarkName, values: readonly BenchmarkValue[], block: number): Benchmark | null => {
  const end = countAtBlock(values, block);
  return end === 0 ? null : { ...name, values: end === values.length ? values : values.slice(0, end) };
};

/** Levels and the growth of a rate are positive: nothing can be measured by others. */
const isUsable = (measure: Measure, value: bigint, decimals: number): boolean =>
  measure === 'level' ? value > 0n : value > -(10n ** BigInt(decimals));

type Written = { name: string; version: string; measure: Measure; feed: string };
const isSame = (a: BenchmarkName, b: Written): boolean =>
  a.name === b.name && a.version === b.version && a.measure === b.measure && a.address === b.feed;

/** The benchmark of one asset as feeds answered it. Another name, version, measure or feed begins another series. */
export class BenchmarkFeed implements BenchmarkSource {
  readonly #asset: string;
  readonly #series: { name: BenchmarkName; values: BenchmarkValue[]; begins: number }[] = [];

  constructor(asset: string) {
    this.#asset = asset.toLowerCase();
  }

  /** Takes an answer in. @returns whether it is one of this asset's benchmark. */
  take(fact: Fact): boolean {
    const written = factBenchmarks(fact).find(({ asset_address }) => asset_address.toLowerCase() === this.#asset);
    if (written) this.#add(fact, written);
    return written !== undefined;
  }

  #add(fact: Fact, written: Omit<Written, 'feed'>): void {
    if (fact.tx === null) return;
    const { name, version, measure } = written;
    const feed = String(fact.args.feed).toLowerCase();
    const decimals = Number(fact.args.decimals);
    const value = BigInt(fact.args.current as string);
    if (!isUsable(measure, value, decimals)) return;
    let last = this.#series.at(-1);
    if (!last || !isSame(last.name, { name, version, measure, feed })) {
      last = { name: { name, version, measure, source: 'feed', address: feed }, values: [], begins: fact.block };
      this.#series.push(last);
    }
    const { block, time, tx, index } = fact;
    const at = { block, time, tx, index: index ?? 0 };
    last.values.push({ block, time, value, decimals, at, source: 'AnswerUpdated' });
  }

  at(block: number): Benchmark | null {
    const series = this.#series.findLast(({ begins }) => begins <= block);
    return series ? knownAt(series.name, series.values, block) : null;
  }
}

/** The share price of a yield source that the vault holds, as its observations have it: an ERC-4626 vault as the benchmark. */
export class YieldSourceBenchmark implements BenchmarkSource {
  readonly #name: BenchmarkName;
  readonly #address: string;
  readonly #values: BenchmarkValue[] = [];

  constructor({ name, version, address }: { name: string; version: string; address: string }) {
    this.#address = address.toLowerCase();
    this.#name = { name, version, measure: 'level', source: 'yield_source', address: this.#address };
  }

  observed({ block, time, sources }: Observation): void {
    const price = sources.find(({ address }) => address === this.#address)?.pricePerShare ?? null;
    if (price === null || price <= 0n || price === this.#values.at(-1)?.value) return;
    const source = `state_observed: price_per_share of ${this.#address}`;
    this.#values.push({ block, time, value: price, decimals: 0, at: { block, time }, source });
  }

  at(block: number): Benchmark | null {
    return knownAt(this.#name, this.#values, block);
  }
}

/** A series of the operator's own, the same at every block: its version is that of its bytes. */
export const fileBenchmark = (benchmark: Benchmark): BenchmarkSource => ({ at: () => benchmark });

/** The value in force at a time; undefined before the first. */
export const valueAt = ({ values }: Benchmark, time: number): BenchmarkValue | undefined =>
  lastAtTime(values, time, Number.MAX_SAFE_INTEGER);

/** One step of growth: `after` over `before`, and what it is made of. */
export type Growth = { readonly before: bigint; readonly after: bigint } & (
  | { readonly kind: 'level'; readonly from: BenchmarkValue; readonly to: BenchmarkValue }
  | { readonly kind: 'rate'; readonly rate: BenchmarkValue; readonly seconds: number }
);

const YEAR = 31_536_000;

const ofLevels = (from: BenchmarkValue, to: BenchmarkValue): Growth => ({
  kind: 'level',
  before: from.value * 10n ** BigInt(to.decimals),
  after: to.value * 10n ** BigInt(from.decimals),
  from,
  to,
});

/** A rate accrues evenly while it is in force; each change compounds what was before. */
function ofRate(rate: BenchmarkValue, seconds: number): Growth {
  const before = 10n ** BigInt(rate.decimals) * BigInt(YEAR);
  return { kind: 'rate', before, after: before + rate.value * BigInt(seconds), rate, seconds };
}

/**
 * What the series grew by between two times, in steps whose product is the whole: of a level one, of rates one for each that was in
 * force. Null when it has no value at the first time.
 */
export function growthBetween(benchmark: Benchmark, from: number, to: number): readonly Growth[] | null {
  const start = valueAt(benchmark, from);
  const end = valueAt(benchmark, to);
  if (!start || !end) return null;
  if (benchmark.measure === 'level') return [ofLevels(start, end)];
  const later = within(benchmark.values, from, to, Number.MAX_SAFE_INTEGER);
  return [start, ...later].flatMap((rate, at, rates) => {
    const begins = at === 0 ? from : rate.time;
    const seconds = (rates[at + 1]?.time ?? to) - begins;
    return seconds > 0 ? [ofRate(rate, seconds)] : [];
  });
}

/**
 * The growth of a UTC day as daily figures take it: from the level at the end of the day before to that at its own, or the rate in
 * force when it begins. `day` counts from 1970. Null when there is no value yet.
 */
export function growthOfDay(benchmark: Benchmark, day: number): Growth | null {
  const begins = day * DAY;
  if (benchmark.measure === 'yearly_rate') {
    const rate = valueAt(benchmark, begins);
    return rate ? ofRate(rate, DAY) : null;
  }
  // What is in force at midnight belongs to the day that ends there, as of prices.
  const before = valueAt(benchmark, begins - 1);
  const after = valueAt(benchmark, begins + DAY - 1);
  return before && after ? ofLevels(before, after) : null;
}

/** The whole growth of steps, exactly: numerator over denominator. */
export const wholeGrowth = (steps: readonly Growth[]): { numerator: bigint; denominator: bigint } => ({
  numerator: steps.reduce((product, { after }) => product * after, 1n),
  denominator: steps.reduce((product, { before }) => product * before, 1n),
});
