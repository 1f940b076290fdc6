import type { VaultContext } from '../../context/vault-context.ts';
import type { ContextFigure } from '../../domain/figure.ts';
import { either, type Phrase, plain, type Writer } from './writer.ts';

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
