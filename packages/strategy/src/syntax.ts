import type { Rational } from './rational.ts';
import type { Unit } from './variables.ts';

/** A place in a text: `offset` from 0 (UTF-16 units), `line` and `column` from 1; `length` where it is one word or number. */
export type Position = {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  readonly length?: number;
};

/** Operators that give a truth. */
export const comparisons = ['==', '!=', '<', '<=', '>', '>='] as const;
/** One of `comparisons`. */
export type Comparison = (typeof comparisons)[number];
/** Operators on numbers; `%` is the remainder. */
export type Arithmetic = '+' | '-' | '*' | '/' | '%';
/** Operators on truths, with three values: true, false and unknown. */
export type Logical = 'and' | 'or';
/** Every operator with two operands. */
export type BinaryOperator = Arithmetic | Comparison | Logical;

/** An expression as it was read; `at` is the place of its operator, name or literal. A number with a unit is in base units already. */
export type Expr = { readonly at: Position } & (
  | { readonly kind: 'number'; readonly value: Rational; readonly unit?: Unit }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'unary'; readonly op: '-' | 'not'; readonly operand: Expr }
  | { readonly kind: 'binary'; readonly op: BinaryOperator; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expr[] }
);

/** Whether an operator is one of `comparisons`. */
export const isComparison = (op: string): op is Comparison => (comparisons as readonly string[]).includes(op);

/** Bounds of one expression. Nobody writes rules near them; they keep time and stack finite against abuse. */
export const MAX_LENGTH = 2_000;
/** Most levels of an expression. */
export const MAX_DEPTH = 60;

/** What can be wrong with a text; the API passes these codes on. */
export const faultCodes = [
  'EMPTY',
  'TOO_LONG',
  'TOO_DEEP',
  'TOO_MANY_NODES',
  'UNEXPECTED_CHARACTER',
  'UNEXPECTED_TOKEN',
  'NUMBER_MALFORMED',
  'UNKNOWN_IDENTIFIER',
  'UNKNOWN_FUNCTION',
  'UNKNOWN_UNIT',
  'UNKNOWN_NAME',
  'DUPLICATE_NAME',
  'CHANGED_NAME',
  'WRONG_ARGUMENT_COUNT',
  'WRONG_TYPE',
  'WRONG_UNIT',
  'WRONG_SIZE',
  'BARE_NUMBER',
  'FAR_THRESHOLD',
  'ALIAS_INVALID',
  'THRESHOLD_OUT_OF_RANGE',
  'FAILS_ON_ZERO',
  'NO_VALUE',
] as const;
/** One of `faultCodes`. */
export type FaultCode = (typeof faultCodes)[number];

/** What is wrong with a text, where, and what was probably meant. */
export type Fault = {
  readonly code: FaultCode;
  readonly message: string;
  readonly position: Position;
  readonly suggestion?: string;
};

/** The place of the first character. */
export const START: Position = { offset: 0, line: 1, column: 1 };

/** The parts of an expression, in reading order. */
export function partsOf(expr: Expr): readonly Expr[] {
  if (expr.kind === 'unary') return [expr.operand];
  if (expr.kind === 'binary') return [expr.left, expr.right];
  return expr.kind === 'call' ? expr.args : [];
}
