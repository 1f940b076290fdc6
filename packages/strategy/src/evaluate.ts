import { functions } from './functions.ts';
import { add, compare, divide, isTooLarge, modulo, multiply, negate, type Rational, subtract } from './rational.ts';
import { type Arithmetic, type Comparison, type Expr, isComparison, type Position } from './syntax.ts';

/** Why there is no value. */
export type Unknown =
  | { readonly code: 'NO_VALUE'; readonly name: string }
  | { readonly code: 'DIVISION_BY_ZERO'; readonly position: Position }
  | { readonly code: 'TOO_LARGE'; readonly position: Position }
  | { readonly code: 'TOO_MANY_STEPS' }
  | { readonly code: 'WRONG_TYPE'; readonly position: Position };

/** Exact: numbers are fractions. */
export type Value = Rational | boolean;
/** A value, or why there is none. */
export type Outcome =
  | { readonly known: true; readonly value: Value }
  | { readonly known: false; readonly why: Unknown };

/** What names stand for, and how much work is left. */
export type Context = {
  readonly lookup: (name: string) => Outcome;
  /** Counted down by each step; at 0 nothing has a value any more. */
  readonly budget: { steps: number };
};

/** A strategy takes a few hundred; this bounds the time (a quarter of a second) of one written to waste it. */
export const MAX_STEPS = 60_000;
/** Fractions have to be brought to lowest terms. */
const FRACTION_STEPS = 10;

const known = (value: Value): Outcome => ({ known: true, value });
const unknown = (why: Unknown): Outcome => ({ known: false, why });
const isNumber = (value: Value): value is Rational => typeof value !== 'boolean';

const arithmetic: Readonly<Record<Arithmetic, (a: Rational, b: Rational) => Rational>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': modulo,
};
const holds: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** And/or of three values: what is not known does not matter where the other side decides. */
function joined(op: 'and' | 'or', left: Outcome, right: Outcome): Outcome {
  const decisive = op === 'or';
  for (const side of [left, right]) if (side.known && side.value === decisive) return side;
  return left.known ? right : left;
}

const sized = (value: Rational, position: Position): Outcome =>
  isTooLarge(value) ? unknown({ code: 'TOO_LARGE', position }) : known(value);

function computed(op: Arithmetic | Comparison, [a, b]: [Value, Value], position: Position, context: Context): Outcome {
  if (!isNumber(a) || !isNumber(b)) {
    if (isNumber(a) || isNumber(b) || (op !== '==' && op !== '!=')) return unknown({ code: 'WRONG_TYPE', position });
    return known((a === b) === (op === '=='));
  }
  if (isComparison(op)) return known(holds[op](compare(a, b)));
  if ((op === '/' || op === '%') && b.n === 0n) return unknown({ code: 'DIVISION_BY_ZERO', position });
  if (a.d !== 1n || b.d !== 1n || op === '/') context.budget.steps -= FRACTION_STEPS;
  return sized(arithmetic[op](a, b), position);
}

function called(expr: Extract<Expr, { kind: 'call' }>, context: Context): Outcome {
  const { name, args, at: position } = expr;
  if (name === 'if') {
    const [condition, yes, no] = args;
    if (!condition || !yes || !no) return unknown({ code: 'WRONG_TYPE', position });
    const chosen = evaluate(condition, context);
    if (!chosen.known) return chosen;
    if (isNumber(chosen.value)) return unknown({ code: 'WRONG_TYPE', position });
    return evaluate(chosen.value ? yes : no, context);
  }
  const apply = Object.hasOwn(functions, name) ? functions[name]?.apply : undefined;
  const values: Rational[] = [];
  for (const arg of args) {
    const outcome = evaluate(arg, context);
    if (!outcome.known) return outcome;
    if (!isNumber(outcome.value)) return unknown({ code: 'WRONG_TYPE', position: arg.at });
    values.push(outcome.value);
  }
  const [first, ...rest] = values;
  return apply && first ? known(apply([first, ...rest])) : unknown({ code: 'WRONG_TYPE', position });
}

function signed(expr: Extract<Expr, { kind: 'unary' }>, context: Context): Outcome {
  const operand = evaluate(expr.operand, context);
  if (!operand.known) return operand;
  if (expr.op === 'not' && !isNumber(operand.value)) return known(!operand.value);
  if (expr.op === '-' && isNumber(operand.value)) return known(negate(operand.value));
  return unknown({ code: 'WRONG_TYPE', position: expr.at });
}

/**
 * The value of an expression, or why it has none. Total: it never throws and takes at most as many steps as the budget has.
 * Numbers are exact.
 */
export function evaluate(expr: Expr, context: Context): Outcome {
  if (context.budget.steps <= 0) return unknown({ code: 'TOO_MANY_STEPS' });
  context.budget.steps -= 1;
  switch (expr.kind) {
    case 'number':
    case 'boolean':
      return known(expr.value);
    case 'name':
      return context.lookup(expr.name);
    case 'unary':
      return signed(expr, context);
    case 'call':
      return called(expr, context);
    case 'binary': {
      const { op, at } = expr;
      const left = evaluate(expr.left, context);
      const right = evaluate(expr.right, context);
      if (op === 'and' || op === 'or') {
        for (const side of [left, right])
          if (side.known && isNumber(side.value)) return unknown({ code: 'WRONG_TYPE', position: at });
        return joined(op, left, right);
      }
      if (!left.known) return left;
      return right.known ? computed(op, [left.value, right.value], at, context) : right;
    }
  }
}

/** A reason as a sentence. */
export function explainUnknown(why: Unknown): string {
  switch (why.code) {
    case 'NO_VALUE':
      return `${why.name} has no value at this block.`;
    case 'DIVISION_BY_ZERO':
      return `Division by zero at line ${why.position.line}, column ${why.position.column}.`;
    case 'TOO_LARGE':
      return `The number at line ${why.position.line}, column ${why.position.column} is too large.`;
    case 'TOO_MANY_STEPS':
      return 'The rule takes too many steps.';
    case 'WRONG_TYPE':
      return `Line ${why.position.line}, column ${why.position.column} mixes a condition with a number.`;
  }
}
