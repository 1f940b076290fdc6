import type { AuditTail } from './audit-tail.ts';

/** Of each kind. A page of the audit log has some tens of kB, and half a megabyte at most. */
const mostKept = 64;

/**
 * Answers that are kept until the audit log has a row about what they were made of. Only for what is written together with its
 * row, in one transaction: any process then sees the change with its next question.
 */
export class KeptAnswers<T> {
  readonly #tail: Pick<AuditTail, 'revisionOf'>;
  readonly #answers = new Map<string, { revision: string; answer: Promise<T> }>();

  constructor(tail: Pick<AuditTail, 'revisionOf'>) {
    this.#tail = tail;
  }

  /** @param subjects - Whatever a row can change the answer by. */
  async get(key: string, subjects: readonly string[], make: () => Promise<T>): Promise<T> {
    // Before the answer is made: what is written meanwhile may be in it, and makes it anew all the same.
    const revision = await this.#tail.revisionOf(subjects);
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
