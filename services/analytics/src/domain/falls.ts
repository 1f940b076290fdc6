import { Runs } from './runs.ts';

/** A fall below the highest value before it: where that is in the list, and where the fall is. The same index twice is none. */
export type Fall = { readonly peak: number; readonly trough: number };

/** A whole fall: from the last value that was as high as the highest before it until one is again, if one was. */
export type Episode = Fall & { readonly recovered: number | undefined };

type Summary = {
  readonly start: number;
  readonly end: number;
  readonly high: number;
  readonly low: number;
  readonly fall: Fall;
};

/**
 * Falls within any stretch of a list of values that only grows, each below the highest value before it in the stretch, without
 * looking at each value. Of equals the first counts.
 */
export class Falls {
  readonly #value: (at: number) => bigint;
  readonly #runs: Runs<Summary>;

  constructor(value: (at: number) => bigint) {
    this.#value = value;
    this.#runs = new Runs<Summary>(
      (at) => ({ start: at, end: at + 1, high: at, low: at, fall: { peak: at, trough: at } }),
      (parts) => ({
        start: (parts[0] as Summary).start,
        end: (parts.at(-1) as Summary).end,
        high: this.#highest(parts),
        low: this.#lowest(parts),
        fall: this.#deepest(parts, undefined),
      }),
    );
  }

  /** The first highest value with start <= index < end; the stretch is not empty. */
  highest(start: number, end: number): number {
    return this.#highest(this.#runs.cover(start, end));
  }

  /** The first of the deepest falls of a stretch that is not empty. @param peak - The highest before it, which its falls are below too. */
  deepest(start: number, end: number, peak?: number): Fall {
    return this.#deepest(this.#runs.cover(start, end), peak);
  }

  /** The smallest and the deepest fall of a part of the stretch that begins at `start`. */
  between(start: number, from: number, to: number): { low: number; high: number } {
    const peak = from > start ? this.highest(start, from) : undefined;
    const least = peak === undefined ? from : (this.#atLeast(from, to, this.#value(peak)) ?? this.highest(from, to));
    return { low: least, high: this.deepest(from, to, peak).trough };
  }

  /** The falls of a stretch for which `counts` is true, which it is for all that are deeper than one for which it is; oldest first. */
  episodes(start: number, end: number, counts: (fall: Fall) => boolean): Episode[] {
    const found: Episode[] = [];
    const open: [number, number][] = [[start, end]];
    for (let part = open.pop(); part; part = open.pop()) {
      const [from, to] = part;
      if (to - from < 2) continue;
      const fall = this.deepest(from, to);
      if (fall.peak === fall.trough || !counts(fall)) continue;
      const height = this.#value(fall.peak);
      const last = this.#runs.last(from, fall.trough, ({ high }) => this.#value(high) >= height) as number;
      const recovered = this.#atLeast(fall.trough, to, height);
      found.push({ peak: last, trough: fall.trough, recovered });
      open.push([from, last + 1]);
      if (recovered !== undefined) open.push([recovered, to]);
    }
    return found.sort((a, b) => a.peak - b.peak);
  }

  #atLeast(start: number, end: number, value: bigint): number | undefined {
    return this.#runs.first(start, end, ({ high }) => this.#value(high) >= value);
  }

  #highest(parts: readonly Summary[]): number {
    return parts.reduce(
      (highest, { high }) => (this.#value(high) > this.#value(highest) ? high : highest),
      (parts[0] as Summary).high,
    );
  }

  #lowest(parts: readonly Summary[]): number {
    return parts.reduce(
      (lowest, { low }) => (this.#value(low) < this.#value(lowest) ? low : lowest),
      (parts[0] as Summary).low,
    );
  }

  #deepest(parts: readonly Summary[], before: number | undefined): Fall {
    let peak = before;
    let deepest: Fall | undefined;
    for (const part of parts) {
      const fall = peak === undefined ? part.fall : this.#below(peak, part);
      if (!deepest || this.#isDeeper(fall, deepest)) deepest = fall;
      if (peak === undefined || this.#value(part.high) > this.#value(peak)) peak = part.high;
    }
    return deepest as Fall;
  }

  /**
   * The deepest fall of a run after a peak. Until the first value above that peak it is the lowest; from there on the run's own falls
   * are right, and before it they are never deeper than that.
   */
  #below(peak: number, { start, end, high, low, fall }: Summary): Fall {
    const height = this.#value(peak);
    if (this.#value(high) <= height) return { peak, trough: low };
    const above = this.#runs.first(start, end, (run) => this.#value(run.high) > height) as number;
    if (above === start) return fall;
    const early = { peak, trough: this.#lowest(this.#runs.cover(start, above)) };
    return fall.trough >= above && this.#isDeeper(fall, early) ? fall : early;
  }

  #isDeeper(a: Fall, b: Fall): boolean {
    const peakOfA = this.#value(a.peak);
    const peakOfB = this.#value(b.peak);
    const fallOfA = peakOfA - this.#value(a.trough);
    const fallOfB = peakOfB - this.#value(b.trough);
    return fallOfB === 0n ? fallOfA > 0n : fallOfA * peakOfB > fallOfB * peakOfA;
  }
}
