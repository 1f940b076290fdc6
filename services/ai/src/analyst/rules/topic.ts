import type { VaultContext } from '../../context/vault-context.ts';
import type { ContextFigure } from '../../domain/figure.ts';
import { either, type Phrase, plain, together, type Writer } from './writer.ts';

/** What a part of an analysis is written from. */
export type Topic = { context: VaultContext; writer: Writer };

/** Size of a figure, for comparing figures of one unit with each other; null without a value. */
export const sizeOf = (figure: ContextFigure | null): number | null => (figure === null ? null : Number(figure.value));

/** Says that a figure has no value, and why. */
export function missing({ context, writer }: Topic, path: string, what: string): Phrase {
  const reason = context.reasons[path];
  return (
    either(
      reason === undefined ? null : writer.phrase`${what} has no value yet: ${reason}.`,
      plain(`${what} has no value yet, because there is too little history.`),
    ) ?? plain('')
  );
}

/** The name of a list in words: `a`, `a and b`, `a, b and c`. */
export const listed = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;

/** Words of one section: what is longer is not read. */
const mostWords = 120;
const wordsIn = ({ text }: Phrase): number => text.split(/\s+/).filter((word) => word !== '').length;

/** A note of a section: its sentences in the order of their weight, the last left out while it is too long, and what to watch. */
export function note(sentences: readonly (Phrase | null)[], watch: Phrase | null): Phrase {
  const whole = together([...sentences, watch].filter((phrase) => phrase !== null && phrase.text !== ''));
  return wordsIn(whole) <= mostWords || sentences.length <= 1 ? whole : note(sentences.slice(0, -1), watch);
}
