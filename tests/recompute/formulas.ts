import { functions, type List, only, type Value } from './formula-functions.ts';
import { abs, isBelow, minus, one, per, type Ratio, ratio, times, toNumber } from './numbers.ts';

/** An input of a receipt as it is printed. */
export type Input = { name: string; value: unknown };

const ends = (token: string | undefined): boolean => token === undefined || token === '(' || token === ')';

/** Reads and computes in one go, as docs/analytics.md describes the language of printed formulas. */
class Text {
  readonly #tokens: string[];
  readonly #value: (name: string) => unknown[];
  readonly #steps: Map<string, () => List>;
  #at = 0;

  constructor(tokens: string[], value: (name: string) => unknown[], steps: Map<string, () => List>) {
    this.#tokens = tokens;
    this.#value = value;
    this.#steps = steps;
  }

  whole(): List {
    const found = this.#comparison();
    if (this.#at < this.#tokens.length) throw new SyntaxError(`${this.#tokens[this.#at]} was not expected.`);
    return found;
  }

  #takes(...tokens: string[]): string | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined || !tokens.includes(token)) return undefined;
    this.#at += 1;
    return token;
  }

  #comparison(): List {
    const left = this.#sum();
    const sign = this.#takes('<=', '>=', '<', '>', '=');
    if (!sign) return left;
    return both(left, this.#sum(), (a, b) => {
      const isLess = below(a, b);
      const isMore = below(b, a);
      const holds = { '<': isLess, '>': isMore, '<=': !isMore, '>=': !isLess, '=': !isLess && !isMore }[sign];
      return { over: holds ? 1n : 0n, under: 1n };
    });
  }

  #sum(): List {
    let found = this.#product();
    for (let sign = this.#takes('+', '-'); sign; sign = this.#takes('+', '-'))
      found = both(found, this.#product(), sign === '+' ? add : subtract);
    return found;
  }

  #product(): List {
    let found = this.#power();
    for (let sign = this.#takes('x', '/'); sign; sign = this.#takes('x', '/'))
      found = both(found, this.#power(), sign === 'x' ? multiply : divide);
    return found;
  }

  #power(): List {
    const before = this.#tokens[this.#at - 1];
    let found = this.#factor();
    while (this.#takes('^')) {
      const exponent = this.#factor();
      // The difference to 1 is what a return is: computed apart, for it would drown in the digits of the power.
      const isReturn =
        ends(before) && this.#tokens.slice(this.#at, this.#at + 2).join() === '-,1' && ends(this.#tokens[this.#at + 2]);
      found = both(found, exponent, isReturn ? returned : raised);
      if (isReturn) this.#at += 2;
    }
    return found;
  }

  #factor(): List {
    const token = this.#tokens[this.#at] ?? '';
    this.#at += 1;
    if (/^\d/.test(token)) return [decimal(token.replaceAll(' ', ''))];
    if (token === '(') return this.#closed(this.#comparison());
    if (!/^[a-z]/.test(token)) throw new SyntaxError(`${token || 'the end'} was not expected.`);
    return this.#takes('(') ? this.#call(token) : this.#named(token);
  }

  #closed<T>(found: T): T {
    if (!this.#takes(')')) throw new SyntaxError('A bracket is not closed.');
    return found;
  }

  #named(name: string): List {
    return this.#steps.get(name)?.() ?? this.#value(name).map((value) => decimal(String(value)));
  }

  /** What is counted need not be a number, and of what is chosen only one has to have a value. */
  #call(name: string): List {
    if (name === 'count' && /^[a-z]/.test(this.#tokens[this.#at] ?? '') && this.#tokens[this.#at + 1] === ')') {
      const counted = this.#tokens[this.#at] as string;
      this.#at += 2;
      const length = this.#steps.get(counted)?.().length ?? this.#value(counted).length;
      return [{ over: BigInt(length), under: 1n }];
    }
    const given = [this.#argument()];
    while (this.#takes(',')) given.push(this.#argument());
    this.#closed(undefined);
    const read = (tokens: string[] = []) => new Text(tokens, this.#value, this.#steps).whole();
    if (name === 'if') return toNumber(only(read(given[0])) as Ratio) === 0 ? read(given[2]) : read(given[1]);
    const call = functions[name];
    if (!call) throw new SyntaxError(`${name}() is not known.`);
    return call(given.map(read));
  }

  /** The tokens up to the comma or bracket that ends an argument. */
  #argument(): string[] {
    const from = this.#at;
    for (let depth = 0; this.#at < this.#tokens.length; this.#at += 1) {
      const token = this.#tokens[this.#at];
      if (depth === 0 && (token === ',' || token === ')')) break;
      depth += token === '(' ? 1 : token === ')' ? -1 : 0;
    }
    return this.#tokens.slice(from, this.#at);
  }
}

function decimal(text: string): Ratio {
  const [, sign, whole = '', behind = '', power = '0'] = /^(-?)(\d+)\.?(\d*)(?:e([+-]\d+))?$/.exec(text) ?? [];
  if (whole === '') throw new SyntaxError(`${text} is no number.`);
  const places = behind.length - Number(power);
  const over = BigInt(`${sign}${whole}${behind}`);
  return places > 0 ? { over, under: 10n ** BigInt(places) } : { over: over * 10n ** BigInt(-places), under: 1n };
}

const real = (value: Value): number => (typeof value === 'number' ? value : toNumber(value));
const mixed =
  (exact: (a: Ratio, b: Ratio) => Value, float: (a: number, b: number) => number) =>
  (a: Value, b: Value): Value =>
    typeof a === 'number' || typeof b === 'number' ? float(real(a), real(b)) : exact(a, b);

const negative = ({ over, under }: Ratio): Ratio => ({ over: -over, under });
const add = mixed(
  (a, b) => minus(a, negative(b)),
  (a, b) => a + b,
);
const subtract = mixed(minus, (a, b) => a - b);
const multiply = mixed(times, (a, b) => a * b);
const divide = mixed(per, (a, b) => a / b);
const below = (a: Value, b: Value): boolean =>
  typeof a === 'number' || typeof b === 'number' ? real(a) < real(b) : isBelow(a, b);

/** Exact for small whole powers, else with doubles. */
const raised = mixed(
  (base, { over, under }) =>
    over % under === 0n && over >= 0n && over <= 64n * under
      ? { over: base.over ** (over / under), under: base.under ** (over / under) }
      : Math.exp(ratio(over, under) * Math.log(toNumber(base))),
  (a, b) => a ** b,
);
const returned = mixed(
  (base, exponent) => Math.expm1(toNumber(exponent) * Math.log1p(toNumber(minus(base, one)))),
  (a, b) => Math.expm1(b * Math.log(a)),
);

function both(a: List, b: List, of: (a: Value, b: Value) => Value): List {
  if (a.length === 1) return b.map((value) => of(a[0] as Value, value));
  if (b.length === 1) return a.map((value) => of(value, b[0] as Value));
  if (a.length !== b.length) throw new SyntaxError('Lists of unequal length.');
  return a.map((value, at) => of(value, b[at] as Value));
}

const tokensOf = (text: string): string[] =>
  text.match(/\d{1,3}(?: \d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[a-z][a-z0-9_]*|[<>]=|\S/g) ?? [];

/** The steps behind `where`: the parts between commas that are in no bracket, each a name, `=` and its formula. */
function stepsOf(text: string): [name: string, tokens: string[]][] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const token of tokensOf(text)) {
    depth += token === '(' ? 1 : token === ')' ? -1 : 0;
    if (token === ',' && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts.filter(({ length }) => length > 0).map(([name = '', , ...tokens]) => [name, tokens]);
}

const endings = ['double', 'decimal'];

function decimalOf({ over, under }: Ratio): string {
  for (let places = 0; places < 80; places += 1)
    if ((over * 10n ** BigInt(places)) % under === 0n) {
      const digits = abs((over * 10n ** BigInt(places)) / under)
        .toString()
        .padStart(places + 1, '0');
      const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
      return over < 0n ? `-${text}` : text;
    }
  throw new SyntaxError('The decimals do not end.');
}

/**
 * What a printed formula gives for printed inputs, from the two alone: a whole number exactly, `double(...)` as a number, `decimal(...)`
 * as a text.
 * @throws {SyntaxError} when the text is not understood.
 */
export function evaluated(formula: string, inputs: readonly Input[]): bigint | number | string {
  const [text = ''] = formula.split(';');
  const [result = '', where = ''] = text.split(' where ');
  const value = (name: string) => inputs.filter((input) => input.name === name).map((input) => input.value);
  const known = new Map<string, List>();
  const steps = new Map<string, () => List>();
  for (const [name, tokens] of stepsOf(where))
    steps.set(name, () => {
      const found = known.get(name) ?? new Text(tokens, value, steps).whole();
      known.set(name, found);
      return found;
    });
  const tokens = tokensOf(result);
  const ending = tokens[1] === '(' && endings.includes(tokens[0] as string) ? tokens[0] : undefined;
  const found = only(new Text(ending ? tokens.slice(2, -1) : tokens, value, steps).whole());
  if (ending === 'double') return real(found);
  if (typeof found === 'number') throw new SyntaxError('A rounded number is not said to be one.');
  if (ending === 'decimal') return decimalOf(found);
  if (found.over % found.under !== 0n) throw new SyntaxError('A fraction is not said to be rounded.');
  return found.over / found.under;
}
