const DAY = 86_400;
/** As far back as a peak is looked for, in seconds. */
export const WEEK = 7 * DAY;

/** A price, and when another took its place. */
type Stood = { readonly pps: bigint; until: number };

/**
 * The highest share price of a source within the last seven days, over the readings that its yield is of: the price that stood when they
 * began counts. Null below a day of prices. Given oldest first.
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
