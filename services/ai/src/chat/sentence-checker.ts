import type { ContextFigure } from '../domain/figure.ts';
import { groundingOf, type Ungrounded } from '../domain/grounding.ts';
import { markUngrounded } from '../domain/mark-ungrounded.ts';
import { beginsNumber, numberWords, plainDigits } from '../domain/numerals.ts';

/** What a figure may be traced to; tools add to it while an answer is made. */
export type Ground = { figures: readonly ContextFigure[]; identifiers: ReadonlySet<string> };

/** A sentence without an end is checked as it stands: nobody waits for a list that never stops. */
const longestHeld = 600;

const sentenceEnd = /[.!?…]["')\]*_]*\s|\n/;
const words = /\S+/g;

const lettersOf = (word: string): string[] =>
  plainDigits(word)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);

/** A word that is, or holds, a number. */
const isNumber = (word: string): boolean =>
  /\d/.test(plainDigits(word)) || lettersOf(word).some((part) => numberWords.has(part));

/** A word cut off at the end of what came so far, that could still become a number. */
function mayBecomeNumber(word: string): boolean {
  const last = lettersOf(word).at(-1) ?? '';
  return last === '' ? /[-+$\u2212]$/.test(word) : beginsNumber(last);
}

/** Where the first word stands that must not be shown unchecked; the length of the text when there is none. */
function firstNumberIn(text: string): number {
  for (const match of text.matchAll(words)) {
    const isCutOff = match.index + match[0].length === text.length;
    if (isNumber(match[0]) || (isCutOff && mayBecomeNumber(match[0]))) return match.index;
  }
  return text.length;
}

/** Figures of a sentence as they stand in its part behind `from`. */
function behind(sentence: string, from: number, ungrounded: readonly Ungrounded[]): Ungrounded[] {
  const plain = plainDigits(sentence);
  const cut = plainDigits(sentence.slice(0, from)).length;
  return ungrounded.flatMap((one) => {
    const at = plain.indexOf(one.figure, one.index);
    if (plain.slice(0, at).endsWith('[unverified: ')) return [];
    // A sign or a currency before the number was shown already; the number itself never is.
    const figure = at < cut ? one.figure.slice(cut - at).trimStart() : one.figure;
    return figure === '' ? [] : [{ ...one, figure, index: Math.max(0, at - cut) }];
  });
}

/**
 * Lets a text through as it comes, except for sentences with numbers: those wait until they are whole, are traced to figures, and
 * go on with each figure that could not be traced marked as such.
 */
export class SentenceChecker {
  readonly #ground: () => Ground;
  #sentence = '';
  /** How much of the sentence was let through. */
  #shown = 0;

  constructor(ground: () => Ground) {
    this.#ground = ground;
  }

  /** @returns what may be shown now, often nothing. */
  push(text: string): string {
    this.#sentence += text;
    let out = '';
    for (let end = this.#end(); end > 0; end = this.#end()) out += this.#finish(end);
    // Once a number is held everything behind it in the sentence is.
    const until = this.#shown + firstNumberIn(this.#sentence.slice(this.#shown));
    const held = this.#sentence.slice(this.#shown, until);
    this.#shown = until;
    return out + held;
  }

  /** The rest, checked. */
  end(): string {
    return this.#finish(this.#sentence.length);
  }

  #end(): number {
    const match = sentenceEnd.exec(this.#sentence);
    if (match) return match.index + match[0].length;
    if (this.#sentence.length - this.#shown <= longestHeld) return 0;
    return this.#sentence.lastIndexOf(' ') + 1 || this.#sentence.length;
  }

  #finish(end: number): string {
    const sentence = this.#sentence.slice(0, end);
    const from = Math.min(this.#shown, end);
    this.#sentence = this.#sentence.slice(end);
    this.#shown = Math.max(0, this.#shown - end);
    const tail = sentence.slice(from);
    if (tail === '') return '';
    const { figures, identifiers } = this.#ground();
    const { ungrounded } = groundingOf(sentence, figures, identifiers);
    return markUngrounded(tail, behind(sentence, from, ungrounded));
  }
}
