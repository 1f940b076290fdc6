import { Runs } from './runs.ts';

type Ends = { readonly low: number; readonly high: number };

/** Lowest and highest of any stretch of a list that only grows, without looking at each item. */
export class Extremes<T> {
  readonly #items: readonly T[];
  readonly #compare: (a: T, b: T) => number;
  readonly #runs: Runs<Ends>;

  constructor(items: readonly T[], compare: (a: T, b: T) => number) {
    this.#items = items;
    this.#compare = compare;
    this.#runs = new Runs<Ends>(
      (at) => ({ low: at, high: at }),
      (parts) => this.#of(parts),
    );
  }

  /** Indexes of the first lowest and the first highest item with start <= index < end; the stretch is not empty. */
  between(start: number, end: number): Ends {
    return this.#of(this.#runs.cover(start, end));
  }

  #of(parts: readonly Ends[]): Ends {
    let { low, high } = parts[0] as Ends;
    for (const part of parts) {
      if (this.#compare(this.#items[part.low] as T, this.#items[low] as T) < 0) low = part.low;
      if (this.#compare(this.#items[part.high] as T, this.#items[high] as T) > 0) high = part.high;
    }
    return { low, high };
  }
}
