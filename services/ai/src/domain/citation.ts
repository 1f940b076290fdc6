import type { Citation } from '@castellan/contracts';
import type { ContextFigure } from './figure.ts';
import { say } from './say.ts';

/** A figure as a text cites it: its name, where it comes from, and how the text writes it. */
export function citationOf(figure: ContextFigure): Citation {
  const { label, path, value } = figure;
  const said = say(figure);
  return { metric: label, path, value, ...(said === null ? {} : { said }) };
}
