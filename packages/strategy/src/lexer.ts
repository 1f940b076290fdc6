import { type Fault, MAX_LENGTH, type Position, START } from './syntax.ts';

export type Token = {
  readonly kind: 'number' | 'word' | 'symbol' | 'end';
  readonly text: string;
  readonly at: Position;
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
function locator(text: string): (offset: number) => Position {
  let { offset: seen, line, column } = START;
  return (offset) => {
    for (; seen < offset; seen += 1) {
      if (text[seen] === '\n') [line, column] = [line + 1, 1];
      else column += 1;
    }
    return { offset, line, column };
  };
}

/** Splits an expression into tokens, the last of them `end`. */
export function tokenize(text: string): Token[] | Fault {
  if (text.length > MAX_LENGTH)
    return { code: 'TOO_LONG', message: `An expression has at most ${MAX_LENGTH} characters.`, position: START };
  const positionAt = locator(text);
  const tokens: Token[] = [];
  for (let offset = 0; offset < text.length; ) {
    const skipped = matchAt(space, text, offset);
    if (skipped !== undefined) {
      offset += skipped.length;
      continue;
    }
    const at = positionAt(offset);
    const found = (
      [
        ['number', number],
        ['word', word],
        ['symbol', symbol],
      ] as const
    )
      .map(([kind, pattern]) => ({ kind, text: matchAt(pattern, text, offset) }))
      .find((item) => item.text !== undefined);
    if (found?.text === undefined) {
      const character = String.fromCodePoint(text.codePointAt(offset) ?? 0);
      const message =
        character === '=' ? 'Write == to compare.' : `${JSON.stringify(character)} means nothing in an expression.`;
      return { code: 'UNEXPECTED_CHARACTER', message, position: at };
    }
    tokens.push({ kind: found.kind, text: spelledAs.get(found.text) ?? found.text, at });
    offset += found.text.length;
  }
  return [...tokens, { kind: 'end', text: '', at: positionAt(text.length) }];
}
