import { type Token, tokenize } from './lexer.ts';
import { scaled, type Vocabulary } from './lexicon.ts';
import { isTooLarge, parseRational, placesOf } from './rational.ts';
import {
  type BinaryOperator,
  type Expr,
  type Fault,
  type FaultCode,
  isComparison,
  MAX_DEPTH,
  type Position,
  partsOf,
} from './syntax.ts';

/** Binds more tightly the higher it is. `not` stands between `and` and the comparisons, a sign above all. */
export const precedence: Readonly<Record<BinaryOperator, number>> = {
  or: 1,
  and: 2,
  '==': 4,
  '!=': 4,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
};
/** Of `not`: below comparisons, above `and`. */
export const NOT_PRECEDENCE = 3;
/** Of a sign: above all operators. */
export const SIGN_PRECEDENCE = 7;

class ParseFault extends Error {
  readonly fault: Fault;
  constructor(code: FaultCode, message: string, position: Position) {
    super(message);
    this.fault = { code, message, position };
  }
}

const operatorOf = ({ kind, text }: Token): BinaryOperator | undefined =>
  (kind === 'symbol' || kind === 'word') && Object.hasOwn(precedence, text) ? (text as BinaryOperator) : undefined;

const nameOf = ({ kind, text }: Token): string => (kind === 'end' ? 'the end of the expression' : JSON.stringify(text));

/** Recursive descent with operator precedence, over the tokens of one expression. */
class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#next += 1;
    return token;
  }

  #unexpected(wanted: string): never {
    throw new ParseFault('UNEXPECTED_TOKEN', `Expected ${wanted}, found ${nameOf(this.#peek())}.`, this.#peek().at);
  }

  #expect(text: string): void {
    if (this.#peek().kind !== 'symbol' || this.#peek().text !== text) this.#unexpected(JSON.stringify(text));
    this.#take();
  }

  whole(): Expr {
    if (this.#peek().kind === 'end') throw new ParseFault('EMPTY', 'The expression is empty.', this.#peek().at);
    const expr = this.#binary(1);
    if (this.#peek().kind !== 'end') this.#unexpected('an operator or the end of the expression');
    return expr;
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw new ParseFault('TOO_DEEP', `An expression nests at most ${MAX_DEPTH} deep.`, this.#peek().at);
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #binary(least: number): Expr {
    let left = least <= NOT_PRECEDENCE ? this.#not() : this.#sign();
    for (;;) {
      const { at } = this.#peek();
      const op = operatorOf(this.#peek());
      if (op === undefined || precedence[op] < least) return left;
      this.#take();
      const right = this.#binary(precedence[op] + 1);
      left = { kind: 'binary', op, left, right, at };
      if (isComparison(op) && isComparison(this.#peek().text))
        throw new ParseFault(
          'UNEXPECTED_TOKEN',
          'Comparisons do not chain. Join two of them with "and", as in a < b and b < c.',
          this.#peek().at,
        );
    }
  }

  #not(): Expr {
    const { kind, text, at } = this.#peek();
    if (kind === 'number' || text !== 'not') return this.#sign();
    this.#take();
    const operand = this.#nested(() => this.#binary(NOT_PRECEDENCE));
    return { kind: 'unary', op: 'not', operand, at };
  }

  #sign(): Expr {
    const { kind, text, at } = this.#peek();
    if (kind !== 'symbol' || text !== '-') return this.#primary();
    this.#take();
    return { kind: 'unary', op: '-', operand: this.#nested(() => this.#sign()), at };
  }

  #primary(): Expr {
    const { kind, text, at } = this.#peek();
    if (kind === 'number') return this.#number();
    if (kind === 'symbol' && text === '(') {
      this.#take();
      const inner = this.#nested(() => this.#binary(1));
      this.#expect(')');
      return inner;
    }
    if (text === 'not') this.#unexpected('a value; put "not …" in parentheses');
    if (kind !== 'word' || operatorOf(this.#peek())) this.#unexpected('a value');
    this.#take();
    if (text === 'true' || text === 'false') return { kind: 'boolean', value: text === 'true', at };
    if (this.#peek().kind === 'symbol' && this.#peek().text === '(')
      return { kind: 'call', name: text, args: this.#args(), at };
    return { kind: 'name', name: text, at };
  }

  #number(): Expr {
    const { text, at, unit } = this.#take();
    const value = /_(?!\d)|[._]_|[.](?!\d)/.test(text) ? undefined : parseRational(text.replaceAll('_', ''));
    if (value === undefined || isTooLarge(value))
      throw new ParseFault('NUMBER_MALFORMED', `${text} is not a number; write 1500000, 1_500_000, 0.05 or 1e6.`, at);
    if (unit === undefined) return { kind: 'number', value, at };
    const whole = scaled(value, unit);
    const isAmount = unit.unit === 'assets' || unit.unit === 'shares' || unit.unit === 'pps';
    if (isAmount && whole.d !== 1n)
      throw new ParseFault('NUMBER_MALFORMED', `${unit.word} has fewer decimals than ${text}.`, at);
    if (isTooLarge(whole) || placesOf(whole.d) === undefined)
      throw new ParseFault('NUMBER_MALFORMED', `${text} ${unit.word} is too large or too small.`, at);
    return { kind: 'number', value: whole, unit: unit.unit, at };
  }

  #args(): Expr[] {
    this.#expect('(');
    const args: Expr[] = [];
    if (this.#peek().kind === 'symbol' && this.#peek().text === ')') {
      this.#take();
      return args;
    }
    for (;;) {
      args.push(this.#nested(() => this.#binary(1)));
      if (this.#peek().text !== ',') break;
      this.#take();
    }
    this.#expect(')');
    return args;
  }
}

/** Long chains (`a + a + …`) are deep trees without being nested. */
function tooDeep(root: Expr): Fault | undefined {
  const waiting: [Expr, number][] = [[root, 1]];
  for (let item = waiting.pop(); item; item = waiting.pop()) {
    const [expr, depth] = item;
    if (depth > MAX_DEPTH)
      return { code: 'TOO_DEEP', message: `An expression nests at most ${MAX_DEPTH} deep.`, position: expr.at };
    for (const part of partsOf(expr)) waiting.push([part, depth + 1]);
  }
  return undefined;
}

/** The expression, or the first fault of the text. */
export type Parsed = { ok: true; expr: Expr } | { ok: false; fault: Fault };

/**
 * How a text is read with units and names. What the engine could read without them keeps its meaning (`5 % -3` is a remainder);
 * in any other text, what has two meanings is refused.
 */
export function readingOf(text: string, vocabulary: Vocabulary): Vocabulary {
  if (vocabulary.isStrict || !/%\s*-/.test(text)) return vocabulary;
  return { ...vocabulary, isStrict: !parse(text).ok };
}

/**
 * Reads an expression. Never throws: what is wrong comes back with its position.
 * @param vocabulary - The units and names it may hold; without it, it is read as the engine reads it.
 */
export function parse(text: string, vocabulary?: Vocabulary): Parsed {
  const tokens = tokenize(text, vocabulary && readingOf(text, vocabulary));
  if (!Array.isArray(tokens)) return { ok: false, fault: tokens };
  try {
    const expr = new Parser(tokens).whole();
    const fault = tooDeep(expr);
    return fault ? { ok: false, fault } : { ok: true, expr };
  } catch (error) {
    if (error instanceof ParseFault) return { ok: false, fault: error.fault };
    throw error;
  }
}
