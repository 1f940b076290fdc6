import { type Exact, read } from './exact.ts';

/** What a formula is made of. */
export type Node =
  | { readonly kind: 'number'; readonly value: Exact }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly values: readonly Node[] }
  | { readonly kind: 'operation'; readonly sign: Sign; readonly left: Node; readonly right: Node };

/** Operators of formulas. */
export const signs = ['^', 'x', '/', '+', '-', '<=', '>=', '<', '>', '='] as const;
/** One of `signs`. */
export type Sign = (typeof signs)[number];

/** An expression, and the names that it defines behind `where`. */
export type Formula = { readonly result: Node; readonly definitions: ReadonlyMap<string, Node> };

/** From what binds least to what binds most; those of one line from left to right. */
const levels: readonly (readonly Sign[])[] = [['<=', '>=', '<', '>', '='], ['+', '-'], ['x', '/'], ['^']];

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    // Thousands are set apart: 86 400 is one number.
    this.#tokens = text.match(/\d{1,3}(?: \d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[a-z][a-z0-9_]*|[<>]=|[^\s]/g) ?? [];
  }

  formula(): Formula {
    const result = this.#level(0);
    const definitions = new Map<string, Node>();
    if (this.#tokens[this.#at] === 'where')
      do {
        this.#at += 1;
        const name = this.#next();
        if (this.#next() !== '=') throw new SyntaxError(`The formula does not say what ${name} is.`);
        definitions.set(name, this.#level(0));
      } while (this.#tokens[this.#at] === ',');
    if (this.#at < this.#tokens.length) throw new SyntaxError(`The formula goes on with ${this.#tokens[this.#at]}.`);
    return { result, definitions };
  }

  #level(level: number): Node {
    const own = levels[level];
    if (!own) return this.#factor();
    let left = this.#level(level + 1);
    for (;;) {
      const sign = own.find((one) => one === this.#tokens[this.#at]);
      if (!sign) return left;
      this.#at += 1;
      left = { kind: 'operation', sign, left, right: this.#level(level + 1) };
    }
  }

  #factor(): Node {
    const token = this.#next();
    if (/^\d/.test(token)) return { kind: 'number', value: read(token.replaceAll(' ', '')) };
    if (token === '(') return this.#closed([this.#level(0)])[0] as Node;
    if (!/^[a-z]/.test(token)) throw new SyntaxError(`The formula has ${token || 'nothing'} where it needs a value.`);
    return this.#tokens[this.#at] === '('
      ? { kind: 'call', name: token, values: this.#listed() }
      : { kind: 'name', name: token };
  }

  #listed(): Node[] {
    const values: Node[] = [];
    do {
      this.#at += 1;
      values.push(this.#level(0));
    } while (this.#tokens[this.#at] === ',');
    return this.#closed(values);
  }

  #closed(values: Node[]): Node[] {
    if (this.#next() !== ')') throw new SyntaxError('The formula lacks a closing bracket.');
    return values;
  }

  #next(): string {
    this.#at += 1;
    return this.#tokens[this.#at - 1] ?? '';
  }
}

const known = new Map<string, Formula>();

/** Reads a printed formula; what follows a semicolon is explanation. @throws {SyntaxError} when it cannot be read. */
export function formulaOf(text: string): Formula {
  const found = known.get(text) ?? new Reader(text.split(';')[0] ?? '').formula();
  // Formulas come from receipts too, and those are not ours to trust.
  if (known.size < 1_000) known.set(text, found);
  return found;
}
