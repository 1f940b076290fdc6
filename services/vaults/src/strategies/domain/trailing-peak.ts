import type { StrategyFacts } from './facts.ts';

const DAY = 86_400;
/** As far back as a peak is looked for, in seconds. */
export const WEEK = 7 * DAY;

/** A price, and when another took its place. */
type Stood = { readonly pps: bigint; until: number };

/**
 * The highest share price of a source within the last seven days, over the readings that its yield is of: the price that stood when they
 * began counts. Null below a day since its first price. Given oldest first. Analytics has the same definition for live readings
 * (`SourcePriceLedger`).
 */
export class TrailingPeak {
  /** Those that none after them reaches. */
  readonly #falling: Stood[] = [];
  #start = 0;
  #first: number | undefined;

  /** Adds a share price. @returns the peak at its time; null where there is no price then. */
  add(time: number, pps: string | null): string | null {
    const price = BigInt(pps ?? 0);
    if (price === 0n) return null;
    this.#first ??= time;
    const last = this.#falling.at(-1);
    if (last) last.until = time;
    while (this.#falling.length > this.#start && (this.#falling.at(-1)?.pps ?? 0n) <= price) this.#falling.pop();
    this.#falling.push({ pps: price, until: Number.POSITIVE_INFINITY });
    while ((this.#falling[this.#start]?.until ?? time) <= time - WEEK) this.#start += 1;
    return time - this.#first < DAY ? null : `${this.#falling[this.#start]?.pps ?? price}`;
  }
}

/** Facts given oldest first, with the peak of each source that has none: where nobody measured it, and in what was recorded before peaks were. */
export class Peaks {
  readonly #trails = new Map<string, TrailingPeak>();

  completed(facts: StrategyFacts): StrategyFacts {
    const sources = facts.sources.map((source) => {
      const trail = this.#trails.get(source.address) ?? new TrailingPeak();
      this.#trails.set(source.address, trail);
      // Also where it is known, as the peaks after it are of this price too.
      const peak = trail.add(facts.block_time, source.pps);
      return source.peak === undefined ? { ...source, peak } : source;
    });
    return { ...facts, sources };
  }
}
