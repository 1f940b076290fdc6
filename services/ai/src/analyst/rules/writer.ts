import type { Citation } from '@castellan/contracts';
import type { VaultContext } from '../../context/vault-context.ts';
import type { ContextFigure } from '../../domain/figure.ts';
import { groundingOf } from '../../domain/grounding.ts';
import { numeralsOf } from '../../domain/numerals.ts';
import { say } from '../../domain/say.ts';
import { isSuspect } from '../../domain/suspect.ts';

/** A piece of text and the figures it quotes. */
export type Phrase = { text: string; figures: readonly ContextFigure[] };
type Part = ContextFigure | Phrase | string | null | undefined;

/** What texts are checked against: a context, or the figures a tool brought. */
export type Ground = Pick<VaultContext, 'figures' | 'identifiers'>;

const isFigure = (part: Exclude<Part, null | undefined | string>): part is ContextFigure => 'path' in part;

export type Writer = {
  /** The figure of this path, if it has a value. */
  figure(path: string): ContextFigure | null;
  /**
   * A sentence with figures in it; null when one of them has no value, or when the sentence could be read to say something else
   * than its figures: what is not traced is not written.
   */
  phrase(strings: TemplateStringsArray, ...parts: Part[]): Phrase | null;
};

function render(strings: TemplateStringsArray, parts: readonly Part[], explicit: boolean): Phrase | null {
  const figures: ContextFigure[] = [];
  let text = strings[0] ?? '';
  for (const [index, part] of parts.entries()) {
    if (part === null || part === undefined) return null;
    if (typeof part === 'string') text += part;
    else if (isFigure(part)) {
      const said = say(part, { explicit });
      if (said === null) return null;
      figures.push(part);
      text += said;
    } else {
      figures.push(...part.figures);
      text += part.text;
    }
    text += strings[index + 1] ?? '';
  }
  return { text, figures };
}

/** Writes sentences that are traced to their figures, or not at all. */
export function writerOn({ figures, identifiers }: Ground): Writer {
  const byPath = new Map(figures.map((figure) => [figure.path, figure]));
  // Every symbol of the context is read as a unit, so a sentence is read with all of them, and else with its own figures.
  const symbols = [...new Map(figures.map((figure) => [figure.symbol, { ...figure, value: null }])).values()];
  return {
    figure: (path) => {
      const found = byPath.get(path);
      return found && found.value !== null ? found : null;
    },
    phrase: (strings, ...parts) => {
      // Words such as `down` beside a gain would turn its sign, so that it is written out then.
      for (const explicit of [false, true]) {
        const written = render(strings, parts, explicit);
        if (written === null) return null;
        if (groundingOf(written.text, [...written.figures, ...symbols], identifiers).ungrounded.length === 0)
          return written;
      }
      return null;
    },
  };
}

/** A figure without its sign, for a sentence whose words give the direction: `fell by`, `below`. */
export function magnitude(figure: ContextFigure | null): Phrase | null {
  const said = figure === null ? null : say({ ...figure, direction: 'magnitude' });
  return figure === null || said === null ? null : { text: said, figures: [figure] };
}

/** Sentences one after the other, those left out that could not be written. */
export const together = (phrases: readonly (Phrase | null)[], between = ' '): Phrase => {
  const written = phrases.filter((phrase) => phrase !== null);
  return { text: written.map(({ text }) => text).join(between), figures: written.flatMap(({ figures }) => figures) };
};

/** The first that could be written. */
export const either = (...phrases: (Phrase | null)[]): Phrase | null =>
  phrases.find((phrase) => phrase !== null) ?? null;

export const plain = (text: string): Phrase => ({ text, figures: [] });

/** Each figure of a phrase once, as the API gives it. */
export function citationsOf({ figures }: Phrase): Citation[] {
  const byPath = new Map(figures.map((figure) => [figure.path, figure]));
  return [...byPath.values()].map(({ label, path, value }) => ({ metric: label, path, value }));
}

/** A name somebody else chose, in quotes, if it is no more than a name; null for what might be read as a figure, an order or a link. */
export const safeName = (name: string): string | null =>
  /^\p{L}[\p{L} .&'/-]{0,38}[\p{L}.]$/u.test(name.replaceAll(/\bv[1-9]\b/g, 'v')) &&
  numeralsOf(name.replaceAll(/\bv[1-9]\b/g, 'v')).length === 0 &&
  !isSuspect(name) &&
  // A dot between letters makes a host, which many programs show as a link.
  !/\p{L}\.\p{L}/u.test(name) &&
  name.split(' ').length <= 4
    ? `“${name}”`
    : null;

const longestTitle = 240;

/**
 * The title of an event in one line of a table, if it is no more than words: names in it were chosen by others. null for what holds
 * markup, or might be read as an order in another language or as a link. Its numbers are traced by the phrase that it becomes part of.
 */
export function safeTitle(title: string): string | null {
  // A bar would end the cell of a table.
  const line = title.replaceAll('|', '/').replace(/\.$/, '');
  const isPlain = /^[\p{L}\p{N} .,:;!?'’"“”&()%/+…_-]+$/u.test(line) && line.length <= longestTitle;
  // A dot between letters makes a host, a colon before one a scheme; many programs show both as links.
  return isPlain && !isSuspect(line) && !/\p{L}\.\p{L}|:\S/u.test(line) ? line : null;
}
