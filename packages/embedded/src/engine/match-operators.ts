import { Binary, BSONRegExp, Long } from 'bson';
import { refuse } from './errors.ts';
import { binaryBytes } from './values/compare.ts';
import { bsonType, Class, classOf, isNumeric, toNumber, typeName } from './values/types.ts';

/** Carries out of a match what the positional operator `$` needs: the position in the last array entered. */
export type MatchContext = { position?: number | undefined };
/** A compiled predicate over one value. */
export type ValueTest = (value: unknown, context: MatchContext) => boolean;

/** A whole, non-negative number. @throws {StoreError} BadValue otherwise. */
export function wholeNumber(operand: unknown, operator: string): number {
  const value = toNumber(operand);
  if (!isNumeric(operand) || !Number.isInteger(value)) refuse(2, `Failed to parse ${operator}. Expected an integer`);
  if (value < 0) refuse(2, `Failed to parse ${operator}. Expected a non-negative number`);
  return value;
}

/** Compiles `$regex` with `$options` (i, m, s, u; the extended form `x` is refused). */
export function compileRegex(operand: unknown, options?: unknown): ValueTest {
  const isRegex = operand instanceof BSONRegExp || operand instanceof RegExp;
  if (!isRegex && typeof operand !== 'string') refuse(2, '$regex has to be a string');
  if (options !== undefined && typeof options !== 'string') refuse(2, '$options has to be a string');
  const pattern =
    operand instanceof BSONRegExp ? operand.pattern : operand instanceof RegExp ? operand.source : operand;
  const own = operand instanceof BSONRegExp ? operand.options : operand instanceof RegExp ? operand.flags : '';
  const flags = typeof options === 'string' ? options : own;
  if (/[^imsu]/.test(flags)) refuse(51108, `invalid flag in regex options: ${flags}`);
  const expression = buildRegExp(String(pattern), flags);
  return (value) => {
    if (typeof value === 'string') return expression.test(value);
    return isRegex && value instanceof BSONRegExp && value.pattern === pattern && value.options === flags;
  };
}

function buildRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, [...new Set(flags)].join(''));
  } catch (error) {
    return refuse(51091, `Regular expression is invalid: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Compiles `$mod: [divisor, remainder]`. */
export function compileMod(operand: unknown): ValueTest {
  if (!Array.isArray(operand)) return refuse(2, 'malformed mod, needs to be an array');
  if (operand.length !== 2) refuse(2, `malformed mod, ${operand.length < 2 ? 'not enough' : 'too many'} elements`);
  const [divisor, remainder] = operand.map((item) => Math.trunc(toNumber(item))) as [number, number];
  if (!Number.isFinite(divisor) || !Number.isFinite(remainder)) refuse(2, 'malformed mod, divisor is not a number');
  if (divisor === 0) refuse(2, 'divisor cannot be 0');
  return (value) => {
    if (value instanceof Long) return value.toBigInt() % BigInt(divisor) === BigInt(remainder);
    return isNumeric(value) && Math.trunc(toNumber(value)) % divisor === remainder;
  };
}

const typeNumbers: Record<number, string> = {
  1: 'double',
  2: 'string',
  3: 'object',
  4: 'array',
  5: 'binData',
  7: 'objectId',
  8: 'bool',
  9: 'date',
  10: 'null',
  11: 'regex',
  13: 'javascript',
  16: 'int',
  17: 'timestamp',
  18: 'long',
  19: 'decimal',
  [-1]: 'minKey',
  127: 'maxKey',
};
const typeAliases = new Set([...Object.values(typeNumbers), 'number']);

/** Compiles `$type` with aliases, numbers or an array of them. */
export function compileType(operand: unknown): ValueTest {
  const wanted = new Set((Array.isArray(operand) ? operand : [operand]).map(typeAlias));
  return (value) => {
    if (value === undefined) return false;
    return wanted.has(typeName(value)) || (wanted.has('number') && isNumeric(value));
  };
}

function typeAlias(item: unknown): string {
  if (typeof item === 'string') {
    return typeAliases.has(item) ? item : refuse(2, `Unknown type name alias: ${item}`);
  }
  if (!isNumeric(item)) return refuse(14, 'type must be represented as a number or a string');
  return typeNumbers[toNumber(item)] ?? refuse(2, `Invalid numerical type code: ${toNumber(item)}`);
}

/** Compiles the `$bits...` family on integers and binary data. */
export function compileBits(operator: string, operand: unknown): ValueTest {
  const mask = bitMask(operator, operand);
  return (value) => {
    const bits = bitsOf(value);
    if (bits === undefined) return false;
    const set = bits & mask;
    if (operator === '$bitsAllSet') return set === mask;
    if (operator === '$bitsAllClear') return set === 0n;
    return operator === '$bitsAnySet' ? set !== 0n : set !== mask;
  };
}

function bitsOf(value: unknown): bigint | undefined {
  if (value instanceof Binary) {
    return binaryBytes(value).reduceRight((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
  }
  if (value instanceof Long) return BigInt.asUintN(64, value.toBigInt());
  if (classOf(value) !== Class.number || bsonType(value) === 'Decimal128') return undefined;
  const number = toNumber(value);
  return Number.isSafeInteger(number) ? BigInt.asUintN(64, BigInt(number)) : undefined;
}

function bitMask(operator: string, operand: unknown): bigint {
  if (Array.isArray(operand)) {
    return operand.reduce<bigint>((mask, position) => mask | (1n << BigInt(wholeNumber(position, operator))), 0n);
  }
  const mask = bitsOf(operand);
  if (mask === undefined || (isNumeric(operand) && toNumber(operand) < 0)) {
    return refuse(2, `${operator} takes an Array, a number, or a BinData`);
  }
  return mask;
}
