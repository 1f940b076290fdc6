/** Items in the smallest run that is kept, and runs in each larger one. */
const FAN = 8;

/**
 * Summaries of runs of 8, 64, 512, ... items of a list that only grows. A stretch of it is made up of few of them, so that what a
 * question costs grows with the logarithm of its stretch.
 */
export class Runs<S> {
  readonly #one: (at: number) => S;
  readonly #joined: (parts: readonly S[]) => S;
  readonly #levels: S[][] = [];
  /** Items that the runs are made of so far. */
  #grown = 0;

  /**
   * @param one - The summary of one item.
   * @param joined - The summary of neighbours, in order.
   */
  constructor(one: (at: number) => S, joined: (parts: readonly S[]) => S) {
    this.#one = one;
    this.#joined = joined;
  }

  /** The summaries that make up start <= index < end, in order. */
  cover(start: number, end: number): S[] {
    this.#grow(end);
    const parts: S[] = [];
    for (let at = start; at < end; ) {
      const { level, size } = largestFrom(at, end);
      parts.push(this.#summary(level, at / size));
      at += size;
    }
    return parts;
  }

  /** The first index of a stretch for whose summary `has` is true; it is true for a run when it is for one of its items. */
  first(start: number, end: number, has: (summary: S) => boolean): number | undefined {
    this.#grow(end);
    for (let at = start; at < end; ) {
      const { level, size } = largestFrom(at, end);
      if (has(this.#summary(level, at / size))) return this.#inside(level, at / size, has, FIRST);
      at += size;
    }
    return undefined;
  }

  /** The last such index. */
  last(start: number, end: number, has: (summary: S) => boolean): number | undefined {
    this.#grow(end);
    for (let at = end; at > start; ) {
      const { level, size } = largestUntil(start, at);
      at -= size;
      if (has(this.#summary(level, at / size))) return this.#inside(level, at / size, has, LAST);
    }
    return undefined;
  }

  /** The item of a run for whose summary `has` is true, the first or the last. */
  #inside(level: number, number: number, has: (summary: S) => boolean, order: readonly number[]): number {
    if (level < 0) return number;
    const part = order.find((offset) => has(this.#summary(level - 1, number * FAN + offset)));
    return this.#inside(level - 1, number * FAN + (part as number), has, order);
  }

  #summary(level: number, number: number): S {
    return level < 0 ? this.#one(number) : ((this.#levels[level] as S[])[number] as S);
  }

  /** Makes the summaries of the runs that have become whole. A summary may ask about runs below it meanwhile. */
  #grow(count: number): void {
    if (count <= this.#grown) return;
    this.#grown = count;
    for (let level = 0, size = FAN; size <= count; level += 1, size *= FAN) {
      this.#levels[level] ??= [];
      const runs = this.#levels[level] as S[];
      while ((runs.length + 1) * size <= count) {
        const from = runs.length * FAN;
        runs.push(this.#joined(FIRST.map((offset) => this.#summary(level - 1, from + offset))));
      }
    }
  }
}

const FIRST = Array.from({ length: FAN }, (_, offset) => offset);
const LAST = FIRST.toReversed();

type Size = { readonly level: number; readonly size: number };

/** The largest run that begins at an index and ends by `end`; level -1 is the item alone. */
function largestFrom(at: number, end: number): Size {
  let level = -1;
  let size = 1;
  for (; at % (size * FAN) === 0 && at + size * FAN <= end; size *= FAN) level += 1;
  return { level, size };
}

/** The largest run that ends at an index and does not begin before `start`. */
function largestUntil(start: number, at: number): Size {
  let level = -1;
  let size = 1;
  for (; at % (size * FAN) === 0 && at - size * FAN >= start; size *= FAN) level += 1;
  return { level, size };
}
