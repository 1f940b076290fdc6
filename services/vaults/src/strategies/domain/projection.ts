import type { SourceFacts, StrategyFacts } from './facts.ts';
import { WEEK } from './trailing-peak.ts';

/** What a projection assumes. */
export type Outlook = {
  readonly horizonSeconds: number;
  readonly stepSeconds: number;
  /** Yearly yields by source in lower case, as fractions. */
  readonly apys: ReadonlyMap<string, number>;
  /** Asset base units; negative: holders take out. */
  readonly netDepositsPerDay: bigint;
};

/** Fractions become integers here: a millionth of a millionth of the price per step is below what any source counts. */
const SCALE = 1_000_000_000_000;
const DAY = 86_400n;
const YEAR = 365 * 86_400;

/** What a price is multiplied by over some seconds, over {@link SCALE}. */
const growthOver = (apy: number, seconds: number): bigint =>
  BigInt(Math.round(Math.expm1((Math.log1p(apy) * seconds) / YEAR) * SCALE)) + BigInt(SCALE);

/** A price that is assumed to rise or fall evenly is highest at an end of its week. The peak of now counts for a week. */
function peakAhead({ pps, peak }: SourceFacts, apy: number, seconds: number): string | null {
  if (pps === null || peak == null) return null;
  const at = (after: number) => (BigInt(pps) * growthOver(apy, after)) / BigInt(SCALE);
  const ends = [at(seconds), seconds < WEEK ? BigInt(peak) : at(seconds - WEEK)];
  return `${ends.reduce((highest, price) => (price > highest ? price : highest))}`;
}

/**
 * Readings of an assumed future: share prices of the sources grow by their yields from where they are, holders put in or take out
 * evenly, everything else stays. The first reading is the present one.
 */
export function* projected(now: StrategyFacts, outlook: Outlook): Generator<StrategyFacts> {
  yield now;
  const steps = Math.floor(outlook.horizonSeconds / outlook.stepSeconds);
  for (let step = 1; step <= steps; step += 1) {
    const seconds = step * outlook.stepSeconds;
    const flow = (outlook.netDepositsPerDay * BigInt(seconds)) / DAY;
    let gained = 0n;
    const sources = now.sources.map((source) => {
      const apy = outlook.apys.get(source.address) ?? source.apy ?? 0;
      const grown = (text: string | null) =>
        text === null ? null : `${(BigInt(text) * growthOver(apy, seconds)) / BigInt(SCALE)}`;
      const amount = grown(source.amount);
      gained += BigInt(amount ?? 0) - BigInt(source.amount ?? 0);
      return {
        ...source,
        apy,
        pps: grown(source.pps),
        peak: peakAhead(source, apy, seconds),
        amount,
        available: grown(source.available),
        tvl: grown(source.tvl),
      };
    });
    const free = BigInt(now.free) + flow;
    const left = free < 0n ? 0n : free;
    const tvl = BigInt(now.tvl) + (left - BigInt(now.free)) + gained;
    yield {
      ...now,
      block_number: now.block_number + step,
      block_time: now.block_time + seconds,
      free: `${left}`,
      tvl: `${tvl < 0n ? 0n : tvl}`,
      sources,
    };
  }
}
