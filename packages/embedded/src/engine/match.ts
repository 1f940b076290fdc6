import { BSONRegExp } from 'bson';
import { refuse } from './errors.ts';
import {
  compileBits,
  compileMod,
  compileRegex,
  compileType,
  type MatchContext,
  type ValueTest,
  wholeNumber,
} from './match-operators.ts';
import { visitPath } from './paths.ts';
import { compareValues } from './values/compare.ts';
import { Class, classOf, type Doc, isDoc, isNil, toNumber } from './values/types.ts';

type DocTest = (doc: Doc, context: MatchContext) => boolean;

/** Evaluates an aggregation expression on a document; given by the caller, as `$expr` alone needs it. */
export type Evaluate = (expression: unknown) => (doc: Doc) => unknown;

/**
 * A compiled filter. `exact`: it compares number widths and needs `decodeExact` documents. `fields`: top-level fields beside which it
 * reads none; undefined when it may read any.
 */
export type Matcher = {
  test(doc: Doc, context?: MatchContext): boolean;
  exact: boolean;
  fields: ReadonlySet<string> | undefined;
};

type Compilation = { exact: boolean; evaluate: Evaluate; fields: Set<string>; readsAny: boolean };

/**
 * Compiles a MongoDB filter.
 * @throws {StoreError} BadValue for unknown operators and malformed operands, NotImplemented for `$where`, `$text` and geo.
 */
export function compileFilter(filter: Doc, evaluate: Evaluate): Matcher {
  const compilation: Compilation = { exact: false, evaluate, fields: new Set(), readsAny: false };
  const test = compileDoc(filter, compilation);
  const { exact, readsAny } = compilation;
  return {
    test: (doc, context = {}) => test(doc, context),
    exact,
    fields: readsAny ? undefined : compilation.fields,
  };
}

const unsupported = new Set(['$where', '$text', '$near', '$nearSphere', '$geoWithin', '$geoIntersects', '$jsonSchema']);

function compileDoc(filter: Doc, compilation: Compilation): DocTest {
  const tests = Object.keys(filter).map((key) => compileTop(key, filter[key], compilation));
  if (tests.length === 1) return tests[0] as DocTest;
  return (doc, context) => tests.every((test) => test(doc, context));
}

function compileTop(key: string, operand: unknown, compilation: Compilation): DocTest {
  if (!key.startsWith('$')) return compileField(key, operand, compilation);
  switch (key) {
    case '$and': {
      const tests = clauses(key, operand).map((clause) => compileDoc(clause, compilation));
      return (doc, context) => tests.every((test) => test(doc, context));
    }
    case '$or': {
      const tests = clauses(key, operand).map((clause) => compileDoc(clause, compilation));
      return (doc, context) => tests.some((test) => test(doc, context));
    }
    case '$nor': {
      const tests = clauses(key, operand).map((clause) => compileDoc(clause, compilation));
      return (doc) => !tests.some((test) => test(doc, {}));
    }
    case '$expr': {
      compilation.readsAny = true;
      const value = compilation.evaluate(operand);
      return (doc) => truthy(value(doc));
    }
    case '$comment':
      return () => true;
  }
  if (unsupported.has(key)) refuse(238, `${key} is not supported by the embedded store`);
  return refuse(
    2,
    `unknown top level operator: ${key}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
  );
}

/** MongoDB's truth of an expression's result: everything but false, null, missing and zero. */
export const truthy = (value: unknown): boolean =>
  !(isNil(value) || value === false || (classOf(value) === Class.number && toNumber(value) === 0));

function clauses(operator: string, operand: unknown): Doc[] {
  if (!Array.isArray(operand)) return refuse(2, `${operator} must be an array`);
  if (operand.length === 0) return refuse(2, `${operator} argument must be a non-empty array`);
  if (!operand.every(isDoc)) return refuse(2, `${operator} argument's entries must be objects`);
  return operand;
}

/** True for `{ $gt: 1 }` and its like; false for plain sub-documents and for DBRef's `$ref`. */
export function isOperatorDoc(value: unknown): value is Doc {
  if (!isDoc(value)) return false;
  const first = Object.keys(value)[0];
  return first?.startsWith('$') === true && first !== '$ref' && first !== '$id' && first !== '$db';
}

function compileField(path: string, operand: unknown, compilation: Compilation): DocTest {
  const parts = path.split('.');
  compilation.fields.add(parts[0] as string);
  if (!isOperatorDoc(operand)) {
    const test = operand instanceof BSONRegExp || operand instanceof RegExp ? compileRegex(operand) : equality(operand);
    return onPath(parts, arrayAware(test));
  }
  const tests = Object.keys(operand)
    .filter((operator) => operator !== '$options')
    .map((operator) => compileOperator(operator, operand, parts, compilation));
  if ('$options' in operand && !('$regex' in operand)) refuse(2, '$options needs a $regex');
  if (tests.length === 1) return tests[0] as DocTest;
  return (doc, context) => tests.every((test) => test(doc, context));
}

const onPath =
  (parts: string[], test: ValueTest): DocTest =>
  (doc, context) =>
    visitPath(doc, parts, 0, (value, position) => {
      const inner: MatchContext = {};
      if (!test(value, inner)) return false;
      const reached = position ?? inner.position;
      if (reached !== undefined) context.position = reached;
      return true;
    });

/** Applies a test to the value and, when it is an array, to each element. */
const arrayAware =
  (test: ValueTest): ValueTest =>
  (value, context) => {
    if (!Array.isArray(value)) return test(value, context);
    for (let i = 0; i < value.length; i += 1) {
      if (!test(value[i], context)) continue;
      context.position = i;
      return true;
    }
    return test(value, context);
  };

const negated =
  (test: DocTest): DocTest =>
  (doc) =>
    !test(doc, {});

function equality(operand: unknown): ValueTest {
  if (isNil(operand)) return (value) => isNil(value);
  if (typeof operand === 'string') return (value) => value === operand;
  return (value) => compareValues(value, operand) === 0;
}

function ordering(operator: '$gt' | '$gte' | '$lt' | '$lte', operand: unknown): ValueTest {
  const accepts = {
    $gt: (order: number) => order > 0,
    $gte: (order: number) => order >= 0,
    $lt: (order: number) => order < 0,
    $lte: (order: number) => order <= 0,
  }[operator];
  const operandClass = classOf(operand);
  if (operandClass === Class.minKey || operandClass === Class.maxKey) {
    return (value) => value !== undefined && accepts(compareValues(value, operand));
  }
  const isNaNOperand = operandClass === Class.number && Number.isNaN(toNumber(operand));
  return (value) => {
    if (classOf(value) !== operandClass) return false;
    const order = compareValues(value, operand);
    // NaN is neither below nor above a number, though it sorts before all of them.
    if (operandClass === Class.number && (isNaNOperand || Number.isNaN(toNumber(value)))) {
      return order === 0 && operator.endsWith('e');
    }
    return accepts(order);
  };
}

function membership(operator: string, operand: unknown): ValueTest {
  if (!Array.isArray(operand)) return refuse(2, `${operator} needs an array`);
  if (operand.some(isOperatorDoc)) refuse(2, `cannot nest $ under ${operator}`);
  const tests = operand.map((item) =>
    item instanceof BSONRegExp || item instanceof RegExp ? compileRegex(item) : equality(item),
  );
  const strings = new Set(operand.filter((item) => typeof item === 'string'));
  if (strings.size === operand.length) return (value) => typeof value === 'string' && strings.has(value);
  return (value, context) => tests.some((test) => test(value, context));
}

function compileOperator(operator: string, operators: Doc, parts: string[], compilation: Compilation): DocTest {
  const operand = operators[operator];
  switch (operator) {
    case '$eq':
      return onPath(parts, arrayAware(equality(operand)));
    case '$ne':
      if (operand instanceof BSONRegExp) refuse(2, "Can't have regex as arg to $ne.");
      return negated(onPath(parts, arrayAware(equality(operand))));
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      if (operand instanceof BSONRegExp)
        refuse(2, `Can't have RegEx as arg to predicate over field '${parts.join('.')}'.`);
      return onPath(parts, arrayAware(ordering(operator, operand)));
    case '$in':
      return onPath(parts, arrayAware(membership(operator, operand)));
    case '$nin':
      return negated(onPath(parts, arrayAware(membership(operator, operand))));
    case '$exists': {
      const exists = onPath(parts, (value) => value !== undefined);
      return truthy(operand) ? exists : negated(exists);
    }
    case '$not':
      return negated(compileNot(parts, operand, compilation));
    case '$elemMatch':
      return onPath(parts, compileElemMatch(operand, compilation));
    case '$all':
      return compileAll(parts, operand, compilation);
  }
  return onPath(parts, compileValueOperator(operator, operand, operators, compilation));
}

function compileValueOperator(operator: string, operand: unknown, operators: Doc, compilation: Compilation): ValueTest {
  switch (operator) {
    case '$regex':
      return arrayAware(compileRegex(operand, operators.$options));
    case '$mod':
      return arrayAware(compileMod(operand));
    case '$size': {
      const size = wholeNumber(operand, '$size');
      return (value) => Array.isArray(value) && value.length === size;
    }
    case '$type':
      compilation.exact = true;
      return arrayAware(compileType(operand));
    case '$bitsAllSet':
    case '$bitsAllClear':
    case '$bitsAnySet':
    case '$bitsAnyClear':
      return arrayAware(compileBits(operator, operand));
  }
  if (unsupported.has(operator) || operator === '$geometry' || operator === '$maxDistance') {
    refuse(238, `${operator} is not supported by the embedded store`);
  }
  return refuse(2, `unknown operator: ${operator}`);
}

function compileNot(parts: string[], operand: unknown, compilation: Compilation): DocTest {
  if (operand instanceof BSONRegExp || operand instanceof RegExp)
    return onPath(parts, arrayAware(compileRegex(operand)));
  if (!isOperatorDoc(operand)) return refuse(2, '$not needs a regex or a document');
  return compileField(parts.join('.'), operand, compilation);
}

function compileElemMatch(operand: unknown, compilation: Compilation): ValueTest {
  if (!isDoc(operand)) return refuse(2, '$elemMatch needs an Object');
  const first = Object.keys(operand)[0];
  const byValue = isOperatorDoc(operand) && !['$and', '$or', '$nor', '$expr', '$where'].includes(first ?? '');
  const test: DocTest = byValue ? compileField('value', operand, compilation) : compileDoc(operand, compilation);
  return (value, context) => {
    if (!Array.isArray(value)) return false;
    const found = value.findIndex((element) => {
      if (byValue) return test({ value: element }, {});
      return (isDoc(element) || Array.isArray(element)) && test(element as Doc, {});
    });
    if (found >= 0) context.position = found;
    return found >= 0;
  };
}

function compileAll(parts: string[], operand: unknown, compilation: Compilation): DocTest {
  if (!Array.isArray(operand)) return refuse(2, '$all needs an array');
  if (operand.length === 0) return () => false;
  const tests = operand.map((item) => {
    if (isOperatorDoc(item) && '$elemMatch' in item)
      return onPath(parts, compileElemMatch(item.$elemMatch, compilation));
    if (isOperatorDoc(item)) return refuse(2, 'no $ expressions in $all');
    return compileField(parts.join('.'), item, compilation);
  });
  return (doc, context) => tests.every((test) => test(doc, context));
}
