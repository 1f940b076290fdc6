type Comparable = bigint | number;

/** Sizes of the sorted runs that are kept. */
const RUNS = [32, 512, 8_192, 131_072] as const;

/**
 * Nearest-rank quantiles of any stretch of a list that only grows. Sorted runs of four sizes are kept, so that a stretch is a
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

/** How many values of a sorted run are below one, or up to it with `isUpTo`; known to be from `low` to `high`. */
function count<T extends Comparable>(run: readonly T[], value: T, isUpTo: boolean, low: number, high: number): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const item = run[middle] as T;
    if (item < value || (isUpTo && item === value)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * The value of a rank over sorted runs: the widest run in turn offers its middle between what is known to be too low and too high, and
 * only there the others are searched.
 */
function valueOfRank<T extends Comparable>(runs: readonly (readonly T[])[], rank: number): T {
  const below = runs.map(() => 0);
  const above = runs.map((run) => run.length);
  for (;;) {
    let widest = 0;
    for (let at = 1; at < runs.length; at += 1)
      if ((above[at] as number) - (below[at] as number) > (above[widest] as number) - (below[widest] as number))
        widest = at;
    const middle = ((below[widest] as number) + (above[widest] as number)) >>> 1;
    const candidate = runs[widest]?.[middle] as T;
    const less = runs.map((run, at) => count(run, candidate, false, below[at] as number, above[at] as number));
    const reached = runs.map((run, at) => count(run, candidate, true, less[at] as number, above[at] as number));
    const fewer = less.reduce((total, one) => total + one, 0);
    if (fewer < rank && rank <= reached.reduce((total, one) => total + one, 0)) return candidate;
    for (let at = 0; at < runs.length; at += 1)
      if (fewer < rank) below[at] = reached[at] as number;
      else above[at] = less[at] as number;
  }
}
