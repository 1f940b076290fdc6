/** What a name of a formula stands for; a list where there are several inputs of it, empty where there are none. */
export type Terms = Readonly<Record<string, number | readonly number[]>>;
type Value = number | readonly number[];

const functions: Readonly<Record<string, (values: readonly Value[]) => number>> = {
  sqrt: ([value]) => Math.sqrt(scalar(value)),
  max: (values) => Math.max(...values.flat()),
  min: (values) => Math.min(...values.flat()),
  count: ([value]) => (typeof value === 'object' ? value.length : 1),
  sum: ([value]) => (typeof value === 'object' ? value : [scalar(value)]).reduce((total, item) => total + item, 0),
};

function scalar(value: Value | undefined): number {
  if (typeof value === 'number') return value;
  throw new SyntaxError('The formula needs one number where it has a list or nothing.');
}

/** Applies an operator to numbers, or to each item of lists. */
function applied(operate: (a: number, b: number) => number, a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') return operate(a, b);
  const length = Math.max(typeof a === 'number' ? 0 : a.length, typeof b === 'number' ? 0 : b.length);
  const at = (value: Value, index: number) => scalar(typeof value === 'number' ? value : value[index]);
  return Array.from({ length }, (_, index) => operate(at(a, index), at(b, index)));
}

const operators: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  x: (a, b) => a * b,
  '/': (a, b) => a / b,
};

class Reader {
  readonly #tokens: readonly string[];
  readonly #terms: Terms;
  #at = 0;

  constructor(text: string, terms: Terms) {
    // Thousands are set apart: 86 400 is one number.
    this.#tokens = text.match(/\d+(?: \d{3})*(?:\.\d+)?|[a-z][a-z0-9_]*|[^\s]/g) ?? [];
    this.#terms = terms;
  }

  whole(): number {
    const value = this.#sum();
    if (this.#at < this.#tokens.length) throw new SyntaxError(`The formula goes on with ${this.#tokens[this.#at]}.`);
    return scalar(value);
  }

  #chain(signs: readonly string[], part: () => Value): Value {
    let value = part();
    for (;;) {
      const sign = this.#tokens[this.#at] ?? '';
      const operate = operators[sign];
      if (!signs.includes(sign) || !operate) return value;
      this.#at += 1;
      value = applied(operate, value, part());
    }
  }

  #sum = (): Value => this.#chain(['+', '-'], () => this.#product());
  #product = (): Value => this.#chain(['x', '/'], () => this.#factor());

  #factor(): Value {
    const token = this.#next();
    if (/^\d/.test(token)) return Number(token.replaceAll(' ', ''));
    if (token === '(') return this.#closed([this.#sum()])[0] as Value;
    const call = functions[token];
    if (call && this.#tokens[this.#at] === '(') return call(this.#listed());
    const value = this.#terms[token];
    if (value === undefined) throw new SyntaxError(`The formula names ${token}, which is not given.`);
    return value;
  }

  #listed(): Value[] {
    this.#at += 1;
    const values = [this.#sum()];
    while (this.#tokens[this.#at] === ',') {
      this.#at += 1;
      values.push(this.#sum());
    }
    return this.#closed(values);
  }

  #closed(values: Value[]): Value[] {
    if (this.#next() !== ')') throw new SyntaxError('The formula lacks a closing bracket.');
    return values;
  }

  #next(): string {
    this.#at += 1;
    return this.#tokens[this.#at - 1] ?? '';
  }
}

/**
 * Evaluates a formula as it is printed in a receipt: numbers, names, `+ - x /`, brackets, `sqrt`, `max`, `min`, `count` and `sum`. Lists are
 * combined item by item. What follows a semicolon is explanation.
 * @throws {SyntaxError} when it cannot be read or names what is not given.
 */
export const evaluate = (formula: string, terms: Terms): number =>
  new Reader(formula.split(';')[0] ?? '', terms).whole();
