/** Says what the state of something is, by a text that is another one after each change. */
export type Revisions = { revisionOf(subjects: readonly string[]): Promise<string> };

/** A vault among the subjects of rows of the audit log. */
export const vaultSubject = ({ chain_id, vault_address }: { chain_id: number; vault_address: string }): string =>
  `${chain_id}:${vault_address}`;

/** What concerns every vault of a chain among them. */
export const chainSubject = ({ chain_id }: { chain_id: number }): string => `chain ${chain_id}`;

/** Of each kind. A page of the audit log has some tens of kB, and half a megabyte at most. */
const mostKept = 64;

/**
 * Answers that are kept until what they were made of changes. The revision is asked for with each question, so a change that any
 * process made before is in the answer.
 */
export class KeptAnswers<T> {
  readonly #revisions: Revisions;
  readonly #answers = new Map<string, { revision: string; answer: Promise<T> }>();

  constructor(revisions: Revisions) {
    this.#revisions = revisions;
  }

  /** @param subjects - Of everything that is in the answer. */
  async get(key: string, subjects: readonly string[], make: () => Promise<T>): Promise<T> {
    // Before the answer is made: what is written meanwhile may be in it, and makes it anew all the same.
    const revision = await this.#revisions.revisionOf(subjects);
    const known = this.#answers.get(key);
    this.#answers.delete(key);
    const answer = known?.revision === revision ? known.answer : make();
    this.#answers.set(key, { revision, answer });
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= mostKept) break;
      this.#answers.delete(oldest);
    }
    return answer.catch((error: unknown) => {
      if (this.#answers.get(key)?.answer === answer) this.#answers.delete(key);
      throw error;
    });
  }
}
