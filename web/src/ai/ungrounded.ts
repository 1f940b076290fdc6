/** A figure of a text that no metric bears out, with the words around it. */
export type Doubtful = { figure: string; context: string };
export type Piece = { text: string; isDoubtful: boolean };

/** How the server marks a figure inside a text. */
const marker = /\[unverified: ([^\]]{1,100})\]/g;

/** Every place of a figure where it is not part of a longer number. */
function placesOf(text: string, figure: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(figure); at >= 0; at = text.indexOf(figure, at + figure.length)) {
    const before = /\d[.,]?$/.test(text.slice(0, at));
    const after = /^[.,]?\d/.test(text.slice(at + figure.length));
    if (!before && !after) places.push(at);
  }
  return places;
}

/** Where a doubtful figure stands: by the words around it, else everywhere, because one mark too many is the lesser fault. */
function spansOf(text: string, { figure, context }: Doubtful): { from: number; to: number }[] {
  const around = context === '' ? -1 : text.indexOf(context);
  const all = placesOf(text, figure);
  const meant = around < 0 ? all : all.filter((at) => at >= around && at < around + context.length);
  return (meant.length === 0 ? all : meant).map((from) => ({ from, to: from + figure.length }));
}

function split(text: string, doubtful: readonly Doubtful[]): Piece[] {
  const spans = doubtful
    .filter(({ figure }) => figure !== '')
    .flatMap((each) => spansOf(text, each))
    .sort((left, right) => left.from - right.from);
  const pieces: Piece[] = [];
  let done = 0;
  for (const { from, to } of spans) {
    if (from < done) continue;
    pieces.push({ text: text.slice(done, from), isDoubtful: false }, { text: text.slice(from, to), isDoubtful: true });
    done = to;
  }
  return [...pieces, { text: text.slice(done), isDoubtful: false }];
}

/**
 * A text in pieces, so that what could not be traced is shown as such. A figure the server marked already is not looked for a
 * second time: the same number may be right elsewhere in the text.
 */
export function piecesOf(text: string, doubtful: readonly Doubtful[]): Piece[] {
  const marked = new Set([...text.matchAll(marker)].map(([, figure]) => figure));
  const left = doubtful.filter(({ figure }) => !marked.has(figure));
  const pieces: Piece[] = [];
  let done = 0;
  for (const { 0: whole, 1: figure = '', index } of text.matchAll(marker)) {
    pieces.push(...split(text.slice(done, index), left), { text: figure, isDoubtful: true });
    done = index + whole.length;
  }
  return [...pieces, ...split(text.slice(done), left)].filter((piece) => piece.text !== '');
}
