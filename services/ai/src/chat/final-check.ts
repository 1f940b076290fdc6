import type { Citation, UngroundedFigure } from '@castellan/contracts';
import type { z } from 'zod';
import { citationOf } from '../domain/citation.ts';
import { groundingOf } from '../domain/grounding.ts';
import type { Ground } from './sentence-checker.ts';

export type Checked = { citations: Citation[]; ungrounded_figures: z.infer<typeof UngroundedFigure>[] };

/**
 * What the whole text of an answer, as it was shown, is borne out by: citations with the values of their own figures, those the
 * text quotes besides, and every figure that could not be traced.
 */
export function finalCheck(text: string, given: readonly Citation[], { figures, identifiers }: Ground): Checked {
  const byPath = new Map(figures.map((figure) => [figure.path, figure]));
  const known = given.flatMap(({ path }) => byPath.get(path) ?? []);
  // A number is first looked for among the figures it was written from: others may be rounded to the same.
  const { cited, ungrounded } = groundingOf(text, [...known, ...figures], identifiers);
  const isKnown = ({ unit, value }: (typeof cited)[number]) =>
    known.some((one) => one.unit === unit && one.value === value);
  const all = new Map([...known, ...cited.filter((figure) => !isKnown(figure))].map((figure) => [figure.path, figure]));
  return {
    citations: [...all.values()].map(citationOf),
    ungrounded_figures: ungrounded.map(({ figure, context }) => ({ section: 'answer', figure, context })),
  };
}
