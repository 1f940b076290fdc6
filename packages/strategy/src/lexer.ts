import type { UnitWord, Vocabulary } from './lexicon.ts';
import { type Fault, MAX_LENGTH, type Position, START } from './syntax.ts';
import { nameAt, unitAfter } from './units-and-names.ts';

/** A piece of the text. */
export type Token = {
  readonly kind: 'number' | 'word' | 'symbol' | 'end';
  readonly text: string;
  readonly at: Position;
  /** Where it ends; of a number, where its unit ends. */
  readonly end: number;
  /** Of a number that has one. */
  readonly unit?: UnitWord;
  /** The name that was written instead of an address; `text` has the address. */
  readonly source?: { readonly name: string; readonly address: string };
};

const space = /[ \t\r\n]+/y;
const number = /\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const symbol = /&&|\|\||==|!=|<=|>=|[-+*/%<>!(),]/y;
/** What other languages write for the same. */
const spelledAs: ReadonlyMap<string, string> = new Map([
  ['&&', 'and'],
  ['||', 'or'],
  ['!', 'not'],
]);

const matchAt = (pattern: RegExp, text: string, offset: number): string | undefined => {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
};

/** A cursor that knows the line and column of its offset, moved forwards only. */
function locator(text: string): (offset: number, length?: number) => Position {
  let { offset: seen, line, column } = START;
  return (offset, length) => {
    for (; seen < offset; seen += 1) {
      if (text[seen] === '\n') [line, column] = [line + 1, 1];
      else column += 1;
    }
    return { offset, line, column, ...(length === undefined ? {} : { length }) };
  };
}

type Place = (offset: number, length?: number) => Position;

function plainToken(text: string, offset: number, place: Place): Token | Fault {
  for (const [kind, pattern] of [
    ['number', number],
    ['word', word],
    ['symbol', symbol],
  ] as const) {
    const found = matchAt(pattern, text, offset);
    if (found === undefined) continue;
    const at = place(offset, kind === 'symbol' ? undefined : found.length);
    return { kind, text: spelledAs.get(found) ?? found, at, end: offset + found.length };
  }
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0);
  const message =
    character === '=' ? 'Write == to compare.' : `${JSON.stringify(character)} means nothing in an expression.`;
  return { code: 'UNEXPECTED_CHARACTER', message, position: place(offset) };
}

/** The next token of a text that may hold units and names. */
function writtenToken(text: string, offset: number, place: Place, vocabulary: Vocabulary): Token | Fault {
  const named = nameAt(text, offset, vocabulary);
  if (named) {
    const { fault } = named;
    if (fault) return { ...fault, position: place(offset, named.length) };
    const { name, address, field } = named;
    const end = offset + named.length;
    return {
      kind: 'word',
      text: `ys_${address}_${field}`,
      at: place(offset, named.length),
      end,
      source: { name, address },
    };
  }
  const token = plainToken(text, offset, place);
  if ('code' in token || token.kind !== 'number') return token;
  const after = unitAfter(text, token.end, vocabulary);
  if (after === undefined) return token;
  const length = after.end - offset;
  if (after.fault) return { ...after.fault(token.text), position: { ...token.at, length } };
  return { ...token, at: { ...token.at, length }, end: after.end, unit: after.unit };
}

/**
 * Splits an expression into tokens, the last of them `end`.
 * @param vocabulary - The units and names it may hold; without it numbers are base units and sources are addresses.
 */
export function tokenize(text: string, vocabulary?: Vocabulary): Token[] | Fault {
  if (text.length > MAX_LENGTH)
    return { code: 'TOO_LONG', message: `An expression has at most ${MAX_LENGTH} characters.`, position: START };
  const place = locator(text);
  const tokens: Token[] = [];
  for (let offset = 0; offset < text.length; ) {
    const skipped = matchAt(space, text, offset);
    if (skipped !== undefined) {
      offset += skipped.length;
      continue;
    }
    const token = vocabulary ? writtenToken(text, offset, place, vocabulary) : plainToken(text, offset, place);
    if ('code' in token) return token;
    tokens.push(token);
    offset = token.end;
  }
  return [...tokens, { kind: 'end', text: '', at: place(text.length), end: text.length }];
}
