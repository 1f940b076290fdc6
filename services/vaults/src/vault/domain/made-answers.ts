import { etagOf } from '@castellan/service-kit';

/** An answer in JSON, and the tag of its bytes. */
export type MadeAnswer = { readonly etag: string; readonly text: string };

/** What a kept answer takes besides its text: key, tag and the entry, rounded up. */
const OVERHEAD_BYTES = 500;

/**
 * Answers by what they are made of, so that what has not changed is neither made nor hashed again. What they are made of never changes
 * itself: another reading of a vault is another object. Those that nobody asked for the longest go first.
 */
export class MadeAnswers {
  readonly #maxBytes: number;
  readonly #made = new Map<string, MadeAnswer>();
  #bytes = 0;
  readonly #numbers = new WeakMap<object, number>();
  #count = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The number of an object, another for each. */
  numberOf(part: object): number {
    const known = this.#numbers.get(part);
    if (known !== undefined) return known;
    this.#count += 1;
    this.#numbers.set(part, this.#count);
    return this.#count;
  }

  /** @param key - All that the answer is made of. */
  get(key: string, make: () => unknown): MadeAnswer {
    const found = this.#made.get(key);
    if (found) {
      this.#made.delete(key);
      this.#made.set(key, found);
      return found;
    }
    const text = JSON.stringify(make());
    const answer = { etag: etagOf(text), text };
    this.#made.set(key, answer);
    this.#bytes += sizeOf(key, answer);
    for (const [oldest, { etag, text: old }] of this.#made) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#made.delete(oldest);
      this.#bytes -= sizeOf(oldest, { etag, text: old });
    }
    return answer;
  }
}

const sizeOf = (key: string, { text }: MadeAnswer): number => key.length + text.length + OVERHEAD_BYTES;
