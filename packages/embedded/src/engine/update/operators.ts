import { Int32, Long, Timestamp } from 'bson';
import { refuse } from '../errors.ts';
import { compileFilter, type Evaluate, isOperatorDoc } from '../match.ts';
import { parseSort } from '../planner.ts';
import { sortKey } from '../sort.ts';
import { compareValues, equalValues } from '../values/compare.ts';
import { arithmetic } from '../values/numbers.ts';
import { type Doc, isDoc, isNumeric, promote, toNumber, typeName } from '../values/types.ts';
import { copyOf } from './tree.ts';

/** What an operator may need beside the value: the path and document for messages, the time, `$expr`. */
export type Setting = { path: string; id: unknown; now: Date; inserting: boolean; evaluate: Evaluate };

/** Returned by an operator that leaves the field as it is. */
export const UNCHANGED = Symbol('unchanged');

/** Gives the new value of a field (undefined when missing) or UNCHANGED. Values are decoded exactly. */
export type FieldOperator = (current: unknown, operand: unknown, setting: Setting) => unknown;

const shownId = (setting: Setting): string => JSON.stringify(promote(setting.id));

function numericPair(name: string, current: unknown, operand: unknown, setting: Setting): void {
  if (!isNumeric(operand)) {
    const verb = name === '$inc' ? 'increment' : 'multiply';
    refuse(14, `Cannot ${verb} with non-numeric argument: {${setting.path}: ${JSON.stringify(promote(operand))}}`);
  }
  if (current === undefined || isNumeric(current)) return;
  refuse(
    14,
    `Cannot apply ${name} to a value of non-numeric type. {_id: ${shownId(setting)}} has the field '${setting.path}' of non-numeric type ${typeName(current)}`,
  );
}

const inc: FieldOperator = (current, operand, setting) => {
  numericPair('$inc', current, operand, setting);
  return current === undefined ? operand : arithmetic('add', current, operand);
};

const mul: FieldOperator = (current, operand, setting) => {
  numericPair('$mul', current, operand, setting);
  return arithmetic('multiply', current ?? new Int32(0), operand);
};

const extreme =
  (sign: 1 | -1): FieldOperator =>
  (current, operand) =>
    current === undefined || compareValues(operand, current) * sign > 0 ? copyOf(operand) : UNCHANGED;

const currentDate: FieldOperator = (_current, operand, { now, path }) => {
  const type = isDoc(operand) ? operand.$type : operand;
  if (type === true || type === 'date' || operand === false) return now;
  if (type === 'timestamp') return new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 });
  return refuse(2, `${path}: $currentDate takes true or {$type: 'date'} or {$type: 'timestamp'}`);
};

function arrayOf(name: string, current: unknown, setting: Setting): unknown[] {
  if (current === undefined) return [];
  if (Array.isArray(current)) return current;
  const { path } = setting;
  if (name === '$push') {
    refuse(
      2,
      `The field '${path}' must be an array but is of type ${typeName(current)} in document {_id: ${shownId(setting)}}`,
    );
  }
  if (name === '$addToSet')
    refuse(
      2,
      `Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${typeName(current)}`,
    );
  if (name === '$pop') refuse(14, `Path '${path}' contains an element of non-array type '${typeName(current)}'`);
  return refuse(2, `Cannot apply ${name} to a non-array value`);
}

const hasEach = (operand: unknown): operand is Doc & { $each: unknown } => isDoc(operand) && '$each' in operand;

function eachOf(name: string, operand: Doc): unknown[] {
  if (!Array.isArray(operand.$each)) {
    return refuse(
      name === '$push' ? 2 : 14,
      `The argument to $each in ${name} must be an array but it was of type: ${typeName(operand.$each)}`,
    );
  }
  return operand.$each.map(copyOf);
}

const pushClauses = new Set(['$each', '$slice', '$sort', '$position']);

function integerClause(operand: Doc, clause: string): number | undefined {
  if (operand[clause] === undefined) return undefined;
  const value = toNumber(operand[clause]);
  if (!isNumeric(operand[clause]) || !Number.isInteger(value)) {
    refuse(2, `The value for ${clause} must be an integer value but was given type: ${typeName(operand[clause])}`);
  }
  return value;
}

const push: FieldOperator = (current, operand, setting) => {
  const array = arrayOf('$push', current, setting);
  if (!hasEach(operand)) return [...array, copyOf(operand)];
  const unknown = Object.keys(operand).find((clause) => !pushClauses.has(clause));
  if (unknown) refuse(2, `Unrecognized clause in $push: ${unknown}`);
  const at = integerClause(operand, '$position') ?? array.length;
  const result = array.toSpliced(at, 0, ...eachOf('$push', operand));
  const sorted = operand.$sort === undefined ? result : sortElements(result, operand.$sort);
  const slice = integerClause(operand, '$slice');
  if (slice === undefined) return sorted;
  return slice >= 0 ? sorted.slice(0, slice) : sorted.slice(slice);
};

function sortElements(elements: unknown[], sort: unknown): unknown[] {
  if (isNumeric(sort)) {
    const sign = toNumber(sort);
    if (sign !== 1 && sign !== -1) refuse(2, 'The $sort element value must be either 1 or -1');
    return elements.toSorted((left, right) => compareValues(left, right) * sign);
  }
  const spec = parseSort(sort);
  const paths = spec.map(([field]) => field.split('.'));
  const directions = spec.map(([, direction]) => direction);
  const keyed = elements.map((element) => ({
    element,
    key: sortKey(isDoc(element) ? element : {}, paths, directions),
  }));
  return keyed.sort((left, right) => Buffer.compare(left.key, right.key)).map(({ element }) => element);
}

const addToSet: FieldOperator = (current, operand, setting) => {
  const array = arrayOf('$addToSet', current, setting);
  if (hasEach(operand) && Object.keys(operand).length > 1) {
    refuse(2, `Found unexpected fields after $each in $addToSet: ${Object.keys(operand).join(', ')}`);
  }
  const added = hasEach(operand) ? eachOf('$addToSet', operand) : [copyOf(operand)];
  const result = [...array];
  for (const item of added) if (!result.some((other) => equalValues(other, item))) result.push(item);
  return result.length === array.length && current !== undefined ? UNCHANGED : result;
};

const pull: FieldOperator = (current, operand, setting) => {
  if (current === undefined) return UNCHANGED;
  const array = arrayOf('$pull', current, setting);
  const byFields = isDoc(operand) && !isOperatorDoc(operand);
  const matcher = compileFilter(byFields ? operand : { value: operand }, setting.evaluate);
  return array.filter((element) => {
    if (byFields) return !(isDoc(element) && matcher.test(element));
    return !matcher.test({ value: element });
  });
};

const pullAll: FieldOperator = (current, operand, setting) => {
  if (!Array.isArray(operand))
    return refuse(2, `$pullAll requires an array argument but was given a ${typeName(operand)}`);
  if (current === undefined) return UNCHANGED;
  return arrayOf('$pullAll', current, setting).filter((element) => !operand.some((item) => equalValues(item, element)));
};

const pop: FieldOperator = (current, operand, setting) => {
  const end = toNumber(operand);
  if (end !== 1 && end !== -1) refuse(9, `$pop expects 1 or -1, found: ${JSON.stringify(promote(operand))}`);
  if (current === undefined) return UNCHANGED;
  const array = arrayOf('$pop', current, setting);
  return end === 1 ? array.slice(0, -1) : array.slice(1);
};

const isInteger = (value: unknown): value is Int32 | Long => value instanceof Int32 || value instanceof Long;
const bitsOf = (value: Int32 | Long): bigint => (value instanceof Long ? value.toBigInt() : BigInt(value.value));
const bitOperations: Record<string, (left: bigint, right: bigint) => bigint> = {
  and: (left, right) => left & right,
  or: (left, right) => left | right,
  xor: (left, right) => left ^ right,
};

const bit: FieldOperator = (current, operand, setting) => {
  if (!isDoc(operand)) return refuse(2, `The $bit modifier is not compatible with a ${typeName(operand)}`);
  const start = current ?? new Int32(0);
  if (!isInteger(start)) {
    return refuse(
      2,
      `Cannot apply $bit to a value of non-integral type. {_id: ${shownId(setting)}} has the field ${setting.path}`,
    );
  }
  let result = bitsOf(start);
  let wide = start instanceof Long;
  for (const [name, value] of Object.entries(operand)) {
    const operation = bitOperations[name];
    if (!operation) return refuse(2, `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}'`);
    if (!isInteger(value)) return refuse(2, 'The $bit modifier field must be an Integer(32/64 bit)');
    wide ||= value instanceof Long;
    result = operation(result, bitsOf(value));
  }
  return wide ? Long.fromBigInt(result) : new Int32(Number(result));
};

/** The update operators that work on one field; `$unset` and `$rename` are handled where paths are. */
export const fieldOperators: Record<string, FieldOperator> = {
  $set: (_current, operand) => copyOf(operand),
  $setOnInsert: (_current, operand, { inserting }) => (inserting ? copyOf(operand) : UNCHANGED),
  $inc: inc,
  $mul: mul,
  $min: extreme(-1),
  $max: extreme(1),
  $currentDate: currentDate,
  $push: push,
  $addToSet: addToSet,
  $pull: pull,
  $pullAll: pullAll,
  $pop: pop,
  $bit: bit,
};
