import type { Rational } from './rational.ts';
import type { Unit } from './variables.ts';

/** A place in a text: `offset` from 0 (UTF-16 units), `line` and `column` from 1; `length` where it is one word or number. */
export type Position = {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  readonly length?: number;
};

export const comparisons = ['==', '!=', '<', '<=', '>', '>='] as const;
export type Comparison = (typeof comparisons)[number];
export type Arithmetic = '+' | '-' | '*' | '/' | '%';
export type Logical = 'and' | 'or';
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

export const isComparison = (op: string): op is Comparison => (comparisons as readonly string[]).includes(op);

/** Bounds of one expression. Nobody writes rules near them; they keep time and stack finite against abuse. */
export const MAX_LENGTH = 2_000;
export const MAX_DEPTH = 60;

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
  'BARE_NUMBER',
  'FAR_THRESHOLD',
  'ALIAS_INVALID',
  'THRESHOLD_OUT_OF_RANGE',
  'FAILS_ON_ZERO',
  'NO_VALUE',
] as const;
export type FaultCode = (typeof faultCodes)[number];

/** What is wrong with a text, where, and what was probably meant. */
export type Fault = {
  readonly code: FaultCode;
  readonly message: string;
  readonly position: Position;
  readonly suggestion?: string;
};

export const START: Position = { offset: 0, line: 1, column: 1 };

/** The parts of an expression, in reading order. */
export function partsOf(expr: Expr): readonly Expr[] {
  if (expr.kind === 'unary') return [expr.operand];
  if (expr.kind === 'binary') return [expr.left, expr.right];
  return expr.kind === 'call' ? expr.args : [];
}
