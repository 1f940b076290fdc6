import { Decimal128, Double, Int32, Long } from 'bson';
import { refuse } from '../errors.ts';
import { addExact, decimalText, divideExact, type Exact, multiplyExact, negateExact, parseExact } from './decimal.ts';
import { toNumber } from './types.ts';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** The four arithmetic operations that keep BSON's number widths. */
export type Operation = 'add' | 'subtract' | 'multiply' | 'divide';

const isFiniteNumber = (value: unknown): boolean => {
  if (value instanceof Decimal128) return /\d/.test(value.toString());
  return value instanceof Long || Number.isFinite(toNumber(value));
};

function exactOf(value: unknown): Exact {
  if (value instanceof Decimal128) return parseExact(value.toString());
  if (value instanceof Long) return { coefficient: value.toBigInt(), exponent: 0 };
  const number = toNumber(value);
  // A double enters decimal arithmetic by its shortest text, as MongoDB's 15-digit conversion nearly always gives.
  return Number.isInteger(number) ? { coefficient: BigInt(number), exponent: 0 } : parseExact(String(number));
}

const exactOperations: Record<Operation, (left: Exact, right: Exact) => Exact> = {
  add: addExact,
  subtract: (left, right) => addExact(left, negateExact(right)),
  multiply: multiplyExact,
  divide: divideExact,
};

const doubleOperations: Record<Operation, (left: number, right: number) => number> = {
  add: (left, right) => left + right,
  subtract: (left, right) => left - right,
  multiply: (left, right) => left * right,
  divide: (left, right) => left / right,
};

function decimalOperation(operation: Operation, left: unknown, right: unknown): Decimal128 {
  if (!isFiniteNumber(left) || !isFiniteNumber(right)) {
    return Decimal128.fromString(String(doubleOperations[operation](toNumber(left), toNumber(right))));
  }
  const divisor = exactOf(right);
  if (operation === 'divide' && divisor.coefficient === 0n) refuse(2, "can't $divide by zero");
  return Decimal128.fromString(decimalText(exactOperations[operation](exactOf(left), divisor)));
}

const integerOf = (value: unknown): bigint | undefined => {
  if (value instanceof Int32) return BigInt(value.value);
  return value instanceof Long ? value.toBigInt() : undefined;
};

const bigintOperations = {
  add: (left: bigint, right: bigint) => left + right,
  subtract: (left: bigint, right: bigint) => left - right,
  multiply: (left: bigint, right: bigint) => left * right,
} as const;

/**
 * Arithmetic on exact BSON numbers with MongoDB's widening: int, long, double, decimal.
 * @throws {StoreError} BadValue when an integer result leaves 64 bits.
 */
export function arithmetic(operation: Exclude<Operation, 'divide'>, left: unknown, right: unknown): unknown {
  if (left instanceof Decimal128 || right instanceof Decimal128) return decimalOperation(operation, left, right);
  const a = integerOf(left);
  const b = integerOf(right);
  if (a === undefined || b === undefined)
    return new Double(doubleOperations[operation](toNumber(left), toNumber(right)));
  const result = bigintOperations[operation](a, b);
  if (result < INT64_MIN || result > INT64_MAX)
    refuse(2, 'Failed to apply the operation: the result overflows 64 bits');
  const narrow = left instanceof Int32 && right instanceof Int32 && result === BigInt.asIntN(32, result);
  return narrow ? new Int32(Number(result)) : Long.fromBigInt(result);
}

/** Arithmetic on promoted values (plain numbers, wide Longs, Decimal128) for aggregation expressions. */
export function plainArithmetic(operation: Operation, left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') {
    if (operation === 'divide' && right === 0) refuse(2, "can't $divide by zero");
    return doubleOperations[operation](left, right);
  }
  if (left instanceof Decimal128 || right instanceof Decimal128) return decimalOperation(operation, left, right);
  if (operation === 'divide' || !isWhole(left) || !isWhole(right)) {
    return doubleOperations[operation](toNumber(left), toNumber(right));
  }
  const result = bigintOperations[operation](wholeOf(left), wholeOf(right));
  if (result < INT64_MIN || result > INT64_MAX) return Number(result);
  const number = Number(result);
  return Number.isSafeInteger(number) ? number : Long.fromBigInt(result);
}

const isWhole = (value: unknown): boolean => value instanceof Long || Number.isInteger(value);
const wholeOf = (value: unknown): bigint => (value instanceof Long ? value.toBigInt() : BigInt(toNumber(value)));
