import type { Vocabulary } from '../lexicon.ts';
import type { Position } from '../syntax.ts';
import { commentIn, type Faults, placeIn, type Value } from './lines.ts';
import { OPEN } from './written.ts';

/** Where each part of a strategy stands in its text, by the path that faults name it by. */
export type Places = ReadonlyMap<string, Value>;

/** What is found while a text is read. */
export type Reading = {
  readonly faults: Faults;
  readonly places: Map<string, Value>;
  readonly vocabulary: Vocabulary;
};

/** Comments would be lost on the way through the other views. */
export const COMMENT = 'Comments are not kept: a strategy is its program alone. Take this one out.';

/** Refuses a comment. @returns whether there is one. */
export function hasComment(value: Value, faults: Faults): boolean {
  const comment = commentIn(value.text);
  if (comment === -1) return false;
  const before = value.text.slice(0, comment).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  faults.add('UNEXPECTED_CHARACTER', COMMENT, placeIn(value, { line: before.length, column }));
  return true;
}

/** The expression that a value holds; '' where it is left open. */
export function exprIn(value: Value, path: string, { faults, places }: Reading): string {
  places.set(path, value);
  if (value.text === '') {
    const message = `An expression is missing. Write ${OPEN} for one that is not written yet.`;
    faults.add('EMPTY', message, placeIn(value));
    return '';
  }
  return hasComment(value, faults) || value.text === OPEN ? '' : value.text;
}

/**
 * Where something that is wrong with a strategy stands in its text.
 * @param fault - As the compiler reports it: its field, and the place within that.
 * @returns undefined for what the text does not hold, such as the name of the strategy.
 */
export function placeOf(
  places: Places,
  { path, position }: { path: string; position?: Position | undefined },
): Position | undefined {
  const exact = places.get(path);
  if (exact) return placeIn(exact, exact.text === OPEN ? undefined : position);
  for (let end = path.lastIndexOf('.'); end > 0; end = path.lastIndexOf('.', end - 1)) {
    const outer = places.get(path.slice(0, end));
    if (outer) return placeIn(outer);
  }
  return undefined;
}
