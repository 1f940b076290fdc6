import type { ContextFigure } from '../../domain/figure.ts';
import { say } from '../../domain/say.ts';

/** Figures by the name a model knows them by. */
export type Named = ReadonlyMap<string, ContextFigure>;
export type Rendered = { text: string; used: ContextFigure[]; unknown: string[] };

const placeholder = /\{\{\s*([^{}]{0,200}?)\s*\}\}/g;
const torn = /\{\{[^{}]*$|\{\{|\}\}/g;
export const unknownFigure = '[unknown figure]';

export const namedByPath = (figures: readonly ContextFigure[]): Map<string, ContextFigure> =>
  new Map(figures.map((figure) => [figure.path, figure]));

/** Puts figures where a model wrote their names. What is no name of a figure with a value is marked, never dropped. */
export function render(text: string, named: Named): Rendered {
  const used: ContextFigure[] = [];
  const unknown: string[] = [];
  const written = text.replaceAll(placeholder, (_, name: string) => {
    const figure = named.get(name);
    const said = figure === undefined ? null : say(figure);
    if (figure === undefined || said === null) {
      unknown.push(name);
      return unknownFigure;
    }
    used.push(figure);
    return said;
  });
  return { text: written.replaceAll(torn, unknownFigure), used, unknown };
}
