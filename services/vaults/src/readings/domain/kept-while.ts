/**
 * Answers that are kept for as long as what they were made of is the same, and made once for all who ask meanwhile. A failure is not
 * kept. When there are too many the one that was asked for longest ago goes.
 */
export class KeptWhile<T> {
  readonly #most: number;
  readonly #answers = new Map<string, { basis: readonly unknown[]; answer: Promise<T> }>();

  constructor(most: number) {
    this.#most = most;
  }

  /** @param basis - What the answer is made of; the same by identity. */
  get(key: string, basis: readonly unknown[], make: () => Promise<T>): Promise<T> {
    const known = this.#answers.get(key);
    this.#answers.delete(key);
    const answer = known?.basis.every((part, n) => part === basis[n]) ? known.answer : this.#made(key, make);
    this.#answers.set(key, { basis, answer });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > this.#most && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }

  #made(key: string, make: () => Promise<T>): Promise<T> {
    const answer = make();
    answer.catch(() => {
      if (this.#answers.get(key)?.answer === answer) this.#answers.delete(key);
    });
    return answer;
  }
}
