import type { Window } from './question.ts';

export type Intent = {
  /**
   * Words that mean it when all of a phrase are asked; the longest phrase that is asked counts. The words are those of the
   * vocabulary.
   */
  phrases: readonly string[];
  /** Words that may stand beside a phrase and leave the question what it is. */
  beside: ReadonlySet<string>;
  /** Times its figures are given for; without any it is about the present, or about a time of its own. */
  windows?: readonly Window[];
  /** What it says reaches ahead (a due time, a simulation), so that it may be asked in the future tense. */
  isAhead?: true;
  /** It is about what could happen, so that a question on what did happen is another one. */
  isPresent?: true;
};

type More = Pick<Intent, 'windows' | 'isAhead' | 'isPresent'>;
/** @param phrases - Separated by commas. @param beside - Words, separated by spaces. */
export const intent = <M extends More>(phrases: string, beside: string, more: M) => ({
  phrases: phrases.split(',').map((phrase) => phrase.trim()),
  beside: new Set(beside.split(' ')),
  ...more,
});

export const always = ['h24', 'd7', 'd30', 'd90', 'since_inception', 'current'] as const;
export const month = ['d30', 'current'] as const;
export const now = ['current'] as const;
