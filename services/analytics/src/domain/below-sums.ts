const CHUNK = 256;

type Chunk = { readonly keys: readonly bigint[]; readonly sums: readonly bigint[] };

/**
 * A list that only grows of weights with a key each; answers how much of a stretch has a key below a bound. Whole chunks are kept
 * sorted with running sums, only the ends of a stretch are looked at one by one.
 */
export class BelowSums {
  readonly #keys: bigint[] = [];
  readonly #weights: bigint[] = [];
  readonly #chunks: Chunk[] = [];

  add(key: bigint, weight: bigint): void {
    this.#keys.push(key);
    this.#weights.push(weight);
  }

  /** Sum of the weights with start <= index < end whose key is below `bound`. */
  below(start: number, end: number, bound: bigint): bigint {
    let total = 0n;
    let at = start;
    while (at < end) {
      if (at % CHUNK === 0 && at + CHUNK <= end) {
        total += sumBelow(this.#chunk(at / CHUNK), bound);
        at += CHUNK;
      } else {
        if ((this.#keys[at] as bigint) < bound) total += this.#weights[at] as bigint;
        at += 1;
      }
    }
    return total;
  }

  #chunk(number: number): Chunk {
    const known = this.#chunks[number];
    if (known) return known;
    const indexes = Array.from({ length: CHUNK }, (_, offset) => number * CHUNK + offset).sort((a, b) =>
      (this.#keys[a] as bigint) < (this.#keys[b] as bigint) ? -1 : 1,
    );
    let sum = 0n;
    const sums = indexes.map((index) => {
      sum += this.#weights[index] as bigint;
      return sum;
    });
    const made = { keys: indexes.map((index) => this.#keys[index] as bigint), sums };
    this.#chunks[number] = made;
    return made;
  }
}

function sumBelow({ keys, sums }: Chunk, bound: bigint): bigint {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as bigint) < bound) low = middle + 1;
    else high = middle;
  }
  return sums[low - 1] ?? 0n;
}
