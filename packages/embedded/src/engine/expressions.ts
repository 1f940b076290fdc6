import { Decimal128, Long, ObjectId } from 'bson';
import { Aggregator } from 'mingo/aggregator';
import { Context, evalExpr, ProcessingMode } from 'mingo/core';
import * as accumulators from 'mingo/operators/accumulator';
import * as expressions from 'mingo/operators/expression';
import * as pipelines from 'mingo/operators/pipeline';
import * as projections from 'mingo/operators/projection';
import * as queries from 'mingo/operators/query';
import * as windows from 'mingo/operators/window';
import type { Options } from 'mingo/types';
import { refuse } from './errors.ts';
import { type Evaluate, truthy } from './match.ts';
import { compareValues, valueToken } from './values/compare.ts';
import { type Operation, plainArithmetic } from './values/numbers.ts';
import { type Doc, isDoc, isNil, isNumeric, promote, toNumber, typeName } from './values/types.ts';

type Expression = (doc: unknown, expr: unknown, options: Options) => unknown;

// mingo's own type of an operator wants its classes; these are checked by the tests of every operator here.
const evaluateIn = evalExpr as (doc: unknown, expr: unknown, options: Options) => unknown;

const compared =
  (accept: (order: number) => boolean): Expression =>
  (doc, expr, options) => {
    const [left, right] = operands(doc, expr, options, 2);
    return accept(compareValues(left, right));
  };

function operands(doc: unknown, expr: unknown, options: Options, count?: number): unknown[] {
  const values = evaluateIn(doc, Array.isArray(expr) ? expr : [expr], options) as unknown[];
  if (count !== undefined && values.length !== count) {
    refuse(16020, `Expression takes exactly ${count} arguments. ${values.length} were passed in.`);
  }
  return values;
}

function sum(name: Operation, left: unknown, right: unknown): unknown {
  if (left instanceof Date || right instanceof Date) return dateSum(name, left, right);
  if (!isNumeric(left) || !isNumeric(right)) {
    return refuse(14, `$${name} only supports numeric types, not ${typeName(isNumeric(left) ? right : left)}`);
  }
  return plainArithmetic(name, left, right);
}

function dateSum(name: Operation, left: unknown, right: unknown): unknown {
  const ms = (value: unknown) => (value instanceof Date ? value.getTime() : Math.round(toNumber(value)));
  if (name === 'subtract' && left instanceof Date && right instanceof Date) return ms(left) - ms(right);
  if (name === 'subtract' && left instanceof Date && isNumeric(right)) return new Date(ms(left) - ms(right));
  const oneDate = left instanceof Date !== right instanceof Date;
  if (name === 'add' && oneDate && (isNumeric(left) || isNumeric(right))) return new Date(ms(left) + ms(right));
  return refuse(14, `$${name} cannot combine ${typeName(left)} and ${typeName(right)}`);
}

const folded =
  (name: 'add' | 'multiply', start: number): Expression =>
  (doc, expr, options) => {
    const values = operands(doc, expr, options);
    return values.some(isNil) ? null : values.reduce((left, right) => sum(name, left, right), start);
  };

const binary =
  (name: 'subtract' | 'divide'): Expression =>
  (doc, expr, options) => {
    const [left, right] = operands(doc, expr, options, 2);
    return isNil(left) || isNil(right) ? null : sum(name, left, right);
  };

const converted =
  (name: string, convert: (value: unknown) => unknown): Expression =>
  (doc, expr, options) => {
    const value = evaluateIn(doc, Array.isArray(expr) && expr.length === 1 ? expr[0] : expr, options);
    if (isNil(value)) return null;
    const result = convert(value);
    return result === undefined ? refuse(241, `Unsupported conversion from ${typeName(value)} in ${name}`) : result;
  };

function toText(value: unknown): string | undefined {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof ObjectId) return value.toHexString();
  if (typeof value === 'string' || typeof value === 'boolean' || isNumeric(value)) return String(value);
  return undefined;
}

function toDecimal(value: unknown): Decimal128 | undefined {
  if (value instanceof Decimal128) return value;
  if (typeof value === 'boolean') return Decimal128.fromString(value ? '1' : '0');
  if (value instanceof Date) return Decimal128.fromString(String(value.getTime()));
  if (isNumeric(value)) return Decimal128.fromString(String(value));
  return typeof value === 'string' && Number.isFinite(Number(value)) && value !== ''
    ? Decimal128.fromStringWithRounding(value)
    : undefined;
}

function toLong(value: unknown): unknown {
  if (value instanceof Long) return value;
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Date) return value.getTime();
  const text = typeof value === 'string' && /^[+-]?\d+$/.test(value) ? value : undefined;
  if (text !== undefined) return promote(Long.fromString(text.replace('+', '')));
  if (value instanceof Decimal128 && /\d/.test(value.toString()))
    return promote(Long.fromString(BigInt(Math.trunc(toNumber(value))).toString()));
  return isNumeric(value) && Number.isFinite(toNumber(value)) ? Math.trunc(toNumber(value)) : undefined;
}

function toDouble(value: unknown): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Date) return value.getTime();
  if (isNumeric(value)) return toNumber(value);
  return typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value)) ? Number(value) : undefined;
}

const toObjectId = (value: unknown): ObjectId | undefined => {
  if (value instanceof ObjectId) return value;
  return typeof value === 'string' && /^[0-9a-f]{24}$/i.test(value) ? new ObjectId(value) : undefined;
};

/** An accumulator used as an expression: over a list of operands or over the elements of one array. */
const asExpression =
  (name: string): Expression =>
  (doc, expr, options) => {
    const accumulate = ownAccumulators[name] as Expression;
    if (Array.isArray(doc)) return accumulate(doc, expr, options);
    const values = operands(doc, expr, options);
    const list = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
    return accumulate([...list], null, options);
  };

const ownExpressions: Record<string, Expression> = {
  $sum: asExpression('$sum'),
  $avg: asExpression('$avg'),
  $max: asExpression('$max'),
  $min: asExpression('$min'),
  $eq: compared((order) => order === 0),
  $ne: compared((order) => order !== 0),
  $gt: compared((order) => order > 0),
  $gte: compared((order) => order >= 0),
  $lt: compared((order) => order < 0),
  $lte: compared((order) => order <= 0),
  $cmp: (doc, expr, options) => {
    const [left, right] = operands(doc, expr, options, 2);
    return Math.sign(compareValues(left, right));
  },
  $add: folded('add', 0),
  $multiply: folded('multiply', 1),
  $subtract: binary('subtract'),
  $divide: binary('divide'),
  $toString: converted('$toString', toText),
  $toDecimal: converted('$toDecimal', toDecimal),
  $toLong: converted('$toLong', toLong),
  $toDouble: converted('$toDouble', toDouble),
  $toObjectId: converted('$toObjectId', toObjectId),
  $type: (doc, expr, options) => typeName(evaluateIn(doc, expr, options)),
  $isNumber: (doc, expr, options) => isNumeric(evaluateIn(doc, expr, options)),
  $and: (doc, expr, options) => operands(doc, expr, options).every(truthy),
  $or: (doc, expr, options) => operands(doc, expr, options).some(truthy),
  $not: (doc, expr, options) => !truthy(operands(doc, expr, options)[0]),
  $in: (doc, expr, options) => {
    const [value, list] = operands(doc, expr, options, 2);
    if (!Array.isArray(list)) return refuse(2, `$in requires an array as a second argument, found: ${typeName(list)}`);
    return list.some((item) => compareValues(item, value) === 0);
  },
};

/** The values of an accumulator: one per document of the group, or the elements of an array expression. */
function gathered(group: unknown, expr: unknown, options: Options): unknown[] {
  const docs = Array.isArray(group) ? group : [group];
  if (isNil(expr)) return docs;
  const scope = scopeOf(options);
  return docs.map((doc) => evaluateIn(doc, expr, scope.update({ root: doc })));
}

/** mingo's options with its local state; made per operation, since copying a context costs more than an expression. */
type Scope = Options & { options: Options; local: Doc; update(local: Doc): Scope };

const isScope = (options: Options): options is Scope => 'update' in options;

function scopeOf(options: Options): Scope {
  if (!isScope(options)) return computeOptions(options);
  const Own = options.constructor as ScopeClass;
  return new Own(options.options, options.local);
}

type ScopeClass = new (options: Options, local: Doc) => Scope;
let scopeClass: ScopeClass | undefined;

/** The form of options that mingo hands to its stages, which it does not export. */
export function computeOptions(options: Options): Scope {
  scopeClass ??= findScopeClass(options);
  return new scopeClass(options, {});
}

/** Its class is seen where a pipeline is run; that costs more than an update, so it is done once. */
function findScopeClass(options: Options): ScopeClass {
  let captured: Options = options;
  const context = Context.init({
    pipeline: {
      $limit: ((input: unknown, _spec: unknown, given: Options) => {
        captured = given;
        return input;
      }) as never,
    },
  });
  new Aggregator([{ $limit: 1 }], { ...options, context }).run([]);
  return captured.constructor as ScopeClass;
}

const best =
  (sign: 1 | -1): Expression =>
  (group, expr, options) => {
    const values = gathered(group, expr, options).filter((value) => !isNil(value));
    return values.length === 0
      ? null
      : values.reduce((one, other) => (compareValues(other, one) * sign > 0 ? other : one));
  };

const total = (values: unknown[]): unknown => values.reduce((left, right) => plainArithmetic('add', left, right), 0);

// mingo gives $top and $bottom as lists of one.
const single =
  (many: Expression): Expression =>
  (group, expr, options) => {
    const [first] = many(group, { ...(expr as Doc), n: 1 }, scopeOf(options)) as unknown[];
    return first ?? null;
  };

/** What `$push` and `$addToSet` collect: an expression that gives no value adds nothing, null adds null. */
const present = (group: unknown, expr: unknown, options: Options): unknown[] =>
  gathered(group, expr === null ? { $literal: null } : expr, options).filter((value) => value !== undefined);

const ownAccumulators: Record<string, Expression> = {
  $push: present,
  $addToSet: (group, expr, options) => [
    ...new Map(present(group, expr, options).map((value) => [valueToken(value), value])).values(),
  ],
  $sum: (group, expr, options) => total(gathered(group, expr, options).filter(isNumeric)),
  $avg: (group, expr, options) => {
    const values = gathered(group, expr, options).filter(isNumeric);
    return values.length === 0 ? null : plainArithmetic('divide', total(values), values.length);
  },
  $max: best(1),
  $min: best(-1),
  $top: single(accumulators.$topN as unknown as Expression),
  $bottom: single(accumulators.$bottomN as unknown as Expression),
};

type Operators = NonNullable<Parameters<typeof Context.init>[0]>;

/** All operators aggregation may use; scripts are left out. */
export const operatorNames = {
  expression: new Set([...Object.keys(expressions), ...Object.keys(ownExpressions)]),
  accumulator: new Set(Object.keys(accumulators)),
  window: new Set(Object.keys(windows)),
  stage: new Set(Object.keys(pipelines)),
};
for (const script of ['$function', '$where']) operatorNames.expression.delete(script);
operatorNames.accumulator.delete('$accumulator');
for (const stage of ['$out', '$merge', '$documents']) operatorNames.stage.delete(stage);

const allOperators = {
  accumulator: { ...accumulators, ...ownAccumulators },
  expression: { ...expressions, ...ownExpressions },
  projection: { ...projections },
  query: { ...queries },
  window: { ...windows },
};

/** Options for mingo with our operators over its own, plus the given stages. */
export function mingoOptions(stages: Record<string, unknown>, variables: Doc = {}): Options {
  const operators = { ...allOperators, pipeline: { ...pipelines, ...stages } } as unknown as Operators;
  return {
    idKey: '_id',
    processingMode: ProcessingMode.CLONE_OFF,
    useStrictMode: true,
    scriptEnabled: true,
    failOnError: true,
    variables,
    context: Context.init(operators),
  };
}

/** Refuses operators that do not exist. @throws {StoreError} InvalidPipelineOperator. */
export function checkExpression(expr: unknown): void {
  if (Array.isArray(expr)) {
    for (const item of expr) checkExpression(item);
    return;
  }
  if (!isDoc(expr)) return;
  const keys = Object.keys(expr);
  const operator = keys.find((key) => key.startsWith('$'));
  if (operator === '$literal') return;
  if (operator !== undefined && !isKnown(operator)) refuse(168, `Unrecognized expression '${operator}'`);
  if (operator !== undefined && keys.length > 1 && !keys.includes('window')) {
    refuse(15983, `an object representing an expression must have exactly one field: ${JSON.stringify(promote(expr))}`);
  }
  for (const key of keys) checkExpression(expr[key]);
}

const isKnown = (operator: string): boolean =>
  operatorNames.expression.has(operator) ||
  operatorNames.accumulator.has(operator) ||
  operatorNames.window.has(operator);

/** Runs mingo code; what it rejects becomes BadValue with its message. */
export function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && (error.constructor.name === 'MingoError' || error instanceof TypeError)) {
      return refuse(2, `Failed to evaluate: ${error.message}`);
    }
    throw error;
  }
}

/** Evaluates `$expr` and projection expressions. @param variables - `$$name` values. */
export function expressionEvaluator(variables: Doc = {}): Evaluate {
  const options = computeOptions(mingoOptions({}, variables));
  return (expr) => {
    const plain = promote(expr);
    checkExpression(plain);
    return (doc) => guarded(() => evaluateIn(promote(doc), plain, options));
  };
}
