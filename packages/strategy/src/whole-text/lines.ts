import type { Fault, FaultCode, Position } from '../syntax.ts';

/** A line of a text: without its end, and where it begins. */
export type Line = { readonly text: string; readonly offset: number; readonly number: number };

/** Every line of a text, ended in any of the three ways. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let offset = 0;
  for (const end of [...text.matchAll(/\r\n|\r|\n/g), undefined]) {
    const to = end?.index ?? text.length;
    lines.push({ text: text.slice(offset, to), offset, number: lines.length + 1 });
    offset = to + (end?.[0].length ?? 0);
  }
  return lines;
}

/** How many of its first characters are spaces, or tabs too. */
const spaceAt = (text: string, pattern = /^[ \t]*/): number => pattern.exec(text)?.[0].length ?? 0;
/** Whether a line holds nothing. */
export const isBlank = ({ text }: Pick<Line, 'text'>): boolean => spaceAt(text) === text.length;
/** How many spaces a line begins with. */
export const indentOf = ({ text }: Line): number => spaceAt(text, /^ */);

/** Without spaces and tabs at its end; from there, as a pattern would try each run of them. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return text.slice(0, end);
}

/** A line from one of its characters on. */
export const from = ({ text, offset, number }: Line, start: number): Piece => ({
  text: text.slice(start),
  offset: offset + start,
  number,
  column: start + 1,
});

/** A part of a line, with the column of its first character. */
export type Piece = Line & { readonly column: number };

/** A value of the text: its own text, and where each of its lines stands. */
export type Value = { readonly text: string; readonly pieces: readonly [Piece, ...Piece[]] };

/** The value of some parts of lines, without the space around it. */
export function valueIn(pieces: readonly [Piece, ...Piece[]]): Value {
  const first = pieces.findIndex((piece) => !isBlank(piece));
  if (first === -1) {
    // Where something is missing, behind what was written last.
    const [{ text, offset, number, column }] = pieces;
    const end = text.length;
    return { text: '', pieces: [{ text: '', offset: offset + end, number, column: column + end }] };
  }
  const kept = pieces.slice(first, pieces.findLastIndex((piece) => !isBlank(piece)) + 1);
  const [head, ...rest] = kept as [Piece, ...Piece[]];
  const start = spaceAt(head.text);
  const trimmed = { ...head, text: head.text.slice(start), offset: head.offset + start, column: head.column + start };
  const text = [trimmed, ...rest].map((piece) => piece.text).join('\n');
  return { text: withoutEnd(text), pieces: [trimmed, ...rest] };
}

/** The place of something within a value, in the whole text. */
export function placeIn({ text, pieces }: Value, at?: Pick<Position, 'line' | 'column' | 'length'>): Position {
  const [head] = pieces;
  const piece = at === undefined ? head : (pieces[at.line - 1] ?? head);
  const skipped = at === undefined || piece.text.length < at.column - 1 ? 0 : at.column - 1;
  const length = at === undefined ? (text.split('\n')[0]?.length ?? 0) : (at.length ?? 0);
  return {
    offset: piece.offset + skipped,
    line: piece.number,
    column: piece.column + skipped,
    ...(length === 0 ? {} : { length }),
  };
}

/** The place of all that a piece holds. */
export const atPiece = ({ text, offset, number, column }: Piece): Position => ({
  offset,
  line: number,
  column,
  ...(text === '' ? {} : { length: text.length }),
});

/** More faults than these help nobody. */
const MOST_FAULTS = 20;

/** What is wrong with a text, in the order it is found. */
export class Faults {
  readonly found: Fault[] = [];
  add(code: FaultCode, message: string, position: Position, suggestion?: string): void {
    if (this.found.length >= MOST_FAULTS) return;
    this.found.push({ code, message, position, ...(suggestion === undefined ? {} : { suggestion }) });
  }
}

/** Where a comment begins, outside of quotes; -1 where there is none. */
export function commentIn(text: string): number {
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '"') isQuoted = !isQuoted;
    else if (text[index] === '\n') isQuoted = false;
    else if (!isQuoted && (text[index] === '#' || text.startsWith('//', index) || text.startsWith('/*', index)))
      return index;
  }
  return -1;
}
