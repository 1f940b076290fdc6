import type { Cited } from './cited.ts';

/** A stretch of text, and the figure that its end is. */
type CitedPiece = { text: string; citation: Cited | undefined };

/** Where a figure stands as a whole: not inside a longer number. */
function placesOf(text: string, said: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(said); at >= 0; at = text.indexOf(said, at + said.length)) {
    const isInside = /(?:\d[.,]?|[$-])$/.test(text.slice(0, at));
    const goesOn = /^[.,]?\d/.test(text.slice(at + said.length));
    if (!isInside && !goesOn) places.push(at);
  }
  return places;
}

/**
 * A text in pieces, each up to the end of a figure that is cited. Where several citations are written alike, the first place is
 * that of the first of them, unless one is called `name`.
 */
export function citedPieces(text: string, citations: readonly Cited[], name?: string): CitedPiece[] {
  const bySaid = new Map<string, Cited[]>();
  for (const citation of citations)
    if (citation.said !== undefined) bySaid.set(citation.said, [...(bySaid.get(citation.said) ?? []), citation]);
  const ends = [...bySaid].flatMap(([said, alike]) => {
    const named = alike.find(({ metric }) => metric.toLowerCase() === name?.toLowerCase());
    return placesOf(text, said).map((from, index) => ({
      from,
      to: from + said.length,
      citation: named ?? alike[Math.min(index, alike.length - 1)],
    }));
  });
  const pieces: CitedPiece[] = [];
  let done = 0;
  // Of two that begin at one place the longer is meant.
  for (const { from, to, citation } of ends.sort((a, b) => a.from - b.from || b.to - a.to)) {
    if (from < done) continue;
    pieces.push({ text: text.slice(done, to), citation });
    done = to;
  }
  return [...pieces, { text: text.slice(done), citation: undefined }].filter((piece) => piece.text !== '');
}

/** Citations whose figure stands in none of the texts: those of older answers, or that a model names besides. */
export const unplaced = (citations: readonly Cited[], texts: readonly string[]): Cited[] =>
  citations.filter(({ said }) => said === undefined || !texts.some((text) => placesOf(text, said).length > 0));
