const CHUNK = 256;

/**
 * Lowest and highest of any stretch of a list that only grows, without looking at each item: whole chunks are known, only the
 * ends are looked at.
 */
export class Extremes<T> {
  readonly #items: readonly T[];
  readonly #compare: (a: T, b: T) => number;
  readonly #low: number[] = [];
  readonly #high: number[] = [];

  constructor(items: readonly T[], compare: (a: T, b: T) => number) {
    this.#items = items;
    this.#compare = compare;
  }

  /** Indexes of the first lowest and the first highest item with start <= index < end; the stretch is not empty. */
  between(start: number, end: number): { low: number; high: number } {
    this.#grow(Math.floor(end / CHUNK));
    let low = start;
    let high = start;
    const look = (at: number, candidate: number) => {
      if (this.#compare(this.#items[candidate] as T, this.#items[low] as T) < 0) low = candidate;
      if (this.#compare(this.#items[at] as T, this.#items[high] as T) > 0) high = at;
    };
    let at = start;
    while (at < end) {
      const chunk = at / CHUNK;
      if (Number.isInteger(chunk) && at + CHUNK <= end) {
        look(this.#high[chunk] as number, this.#low[chunk] as number);
        at += CHUNK;
      } else {
        look(at, at);
        at += 1;
      }
    }
    return { low, high };
  }

  /** Learns the chunks that have become whole. */
  #grow(chunks: number): void {
    for (let chunk = this.#low.length; chunk < chunks; chunk += 1) {
      let low = chunk * CHUNK;
      let high = low;
      for (let at = low + 1; at < (chunk + 1) * CHUNK; at += 1) {
        if (this.#compare(this.#items[at] as T, this.#items[low] as T) < 0) low = at;
        if (this.#compare(this.#items[at] as T, this.#items[high] as T) > 0) high = at;
      }
      this.#low.push(low);
      this.#high.push(high);
    }
  }
}
