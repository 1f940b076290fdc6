type Comparable = bigint | number;

/** Sizes of the sorted runs that are kept. */
const RUNS = [256, 8_192, 262_144] as const;

/**
 * Nearest-rank quantiles of any stretch of a list that only grows. Sorted runs of three sizes are kept, so that a stretch is a
 * few whole runs and two short ends.
 */
export class Ranks<T extends Comparable> {
  readonly #values: T[] = [];
  readonly #runs: T[][][] = RUNS.map(() => []);

  add(value: T): void {
    this.#values.push(value);
  }

  /** How many values there are. */
  get length(): number {
    return this.#values.length;
  }

  /** The smallest value that at least `q` of those with start <= index < end do not exceed; undefined for an empty stretch. */
  quantile(start: number, end: number, q: number): T | undefined {
    if (end <= start) return undefined;
    const runs = this.#cover(start, end);
    const rank = Math.max(1, Math.ceil(q * (end - start)));
    return valueOfRank(runs, rank);
  }

  #run(level: number, number: number): T[] {
    const size = RUNS[level] as number;
    const runs = this.#runs[level] as T[][];
    runs[number] ??= sorted(this.#values.slice(number * size, (number + 1) * size));
    return runs[number];
  }

  /** Sorted runs that make the stretch up: the largest that fit, and what is left at the ends. */
  #cover(start: number, end: number): T[][] {
    const runs: T[][] = [];
    const loose: T[] = [];
    let at = start;
    while (at < end) {
      const level = RUNS.findLastIndex((size) => at % size === 0 && at + size <= end);
      if (level < 0) {
        loose.push(this.#values[at] as T);
        at += 1;
        continue;
      }
      const size = RUNS[level] as number;
      runs.push(this.#run(level, at / size));
      at += size;
    }
    if (loose.length > 0) runs.push(sorted(loose));
    return runs;
  }
}

const sorted = <T extends Comparable>(values: T[]): T[] => values.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

const countUpTo = <T extends Comparable>(run: readonly T[], value: T): number => {
  let low = 0;
  let high = run.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((run[middle] as T) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The value of a rank over sorted runs: each run in turn offers its middle between what is known to be too low and too high. */
function valueOfRank<T extends Comparable>(runs: readonly (readonly T[])[], rank: number): T {
  const below = runs.map(() => 0);
  const above = runs.map((run) => run.length);
  for (;;) {
    const widest = above.reduce(
      (best, high, index) =>
        high - (below[index] as number) > (above[best] as number) - (below[best] as number) ? index : best,
      0,
    );
    const run = runs[widest] as readonly T[];
    const candidate = run[((below[widest] as number) + (above[widest] as number)) >>> 1] as T;
    const counts = runs.map((items) => countUpTo(items, candidate));
    const reached = counts.reduce((total, count) => total + count, 0);
    const less = runs.map((items) => countLess(items, candidate));
    const fewer = less.reduce((total, count) => total + count, 0);
    if (fewer < rank && rank <= reached) return candidate;
    if (reached < rank)
      for (const [index, count] of counts.entries()) below[index] = Math.max(below[index] as number, count);
    else for (const [index, count] of less.entries()) above[index] = Math.min(above[index] as number, count);
  }
}

const countLess = <T extends Comparable>(run: readonly T[], value: T): number => {
  let low = 0;
  let high = run.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((run[middle] as T) < value) low = middle + 1;
    else high = middle;
  }
  return low;
};
