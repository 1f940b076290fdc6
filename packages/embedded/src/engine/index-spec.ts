import { BSONRegExp } from 'bson';
import { refuse } from './errors.ts';
import { compileFilter, type Evaluate, isOperatorDoc, type Matcher } from './match.ts';
import { type KeyComponents, keyComponents, splitPath } from './paths.ts';
import { EMPTY_ARRAY_KEY, encodeKeys } from './values/key.ts';
import { type Doc, isDoc, isNumeric, promote, toNumber, typeName } from './values/types.ts';

/** An index of a collection; `spec` is what listIndexes shows. */
export type Index = {
  readonly id: number;
  readonly name: string;
  readonly spec: Doc;
  readonly paths: readonly (readonly string[])[];
  readonly fields: readonly string[];
  readonly directions: readonly number[];
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partialFilter: Doc | undefined;
  readonly partial: Matcher | undefined;
  readonly expireAfterSeconds: number | undefined;
  /** True once some document had an array under one of the paths. */
  multikey: boolean;
};

const knownOptions = new Set([
  'v',
  'key',
  'name',
  'ns',
  'unique',
  'sparse',
  'background',
  'expireAfterSeconds',
  'partialFilterExpression',
  'collation',
  'hidden',
]);

/** Checks an index specification and gives its normal form: v, key, name, then the options that are set. */
export function normalizeIndexSpec(spec: unknown): Doc {
  if (!isDoc(spec)) return refuse(14, 'The elements of the indexes array must be objects');
  for (const option of Object.keys(spec)) {
    if (!knownOptions.has(option)) {
      refuse(197, `The field '${option}' is not valid for an index specification. Specification: ${shown(spec)}`);
    }
  }
  if (!isDoc(spec.key)) return refuse(9, "The 'key' field is a required property of an index specification");
  const key = checkedKey(spec.key);
  if (spec.name === undefined) refuse(9, "The 'name' field is a required property of an index specification");
  if (typeof spec.name !== 'string') return refuse(14, "The field 'name' must be a string");
  if (spec.name === '' || spec.name === '*') refuse(67, `The index name '${spec.name}' is not valid`);
  refuseUnsupported(spec);
  const normal: Doc = { v: 2, key, name: spec.name };
  if (flag(spec.unique)) normal.unique = true;
  if (flag(spec.sparse)) normal.sparse = true;
  addExpiry(normal, spec.expireAfterSeconds, key);
  addPartial(normal, spec.partialFilterExpression);
  return normal;
}

const shown = (doc: unknown): string => JSON.stringify(promote(doc));
const flag = (value: unknown): boolean => value === true || (isNumeric(value) && toNumber(value) !== 0);

function refuseUnsupported(spec: Doc): void {
  if (flag(spec.hidden)) refuse(238, 'Hidden indexes are not supported by the embedded store');
  if (isDoc(spec.collation) && spec.collation.locale !== 'simple') {
    refuse(238, 'Collation is not supported by the embedded store; only the simple locale is');
  }
}

function checkedKey(key: Doc): Doc {
  const fields = Object.keys(key);
  if (fields.length === 0) refuse(67, 'Index keys cannot be an empty object');
  const normal: Doc = {};
  for (const field of fields) {
    if (field === '' || field.split('.').includes('')) refuse(67, 'Index keys cannot contain an empty field');
    if (field.startsWith('$') || field.includes('$**')) {
      refuse(67, `Index key '${field}' is not supported by the embedded store: no wildcard and no $ fields`);
    }
    const direction = key[field];
    if (typeof direction === 'string') {
      refuse(67, `Unknown index plugin '${direction}': the embedded store has ordered indexes only`);
    }
    if (!isNumeric(direction) || toNumber(direction) === 0 || Number.isNaN(toNumber(direction))) {
      refuse(67, `Values in v:2 index key pattern cannot be of type ${typeName(direction)} or zero`);
    }
    normal[field] = direction;
  }
  return normal;
}

// Largest age MongoDB accepts: a signed 32-bit number of seconds.
const MAX_EXPIRY_SECONDS = 2 ** 31 - 1;

function addExpiry(normal: Doc, expiry: unknown, key: Doc): void {
  if (expiry === undefined) return;
  const seconds = toNumber(expiry);
  if (!isNumeric(expiry)) refuse(14, "The field 'expireAfterSeconds' must be a number");
  if (!(seconds >= 0 && seconds <= MAX_EXPIRY_SECONDS)) {
    refuse(67, `TTL index 'expireAfterSeconds' option must be within 0 and ${MAX_EXPIRY_SECONDS}`);
  }
  if (Object.keys(key).length !== 1)
    refuse(67, 'TTL indexes are single-field indexes, compound indexes do not support TTL');
  if ('_id' in key) refuse(197, "The field 'expireAfterSeconds' is not valid for an _id index specification");
  normal.expireAfterSeconds = expiry;
}

const partialOperators = new Set(['$eq', '$exists', '$gt', '$gte', '$lt', '$lte', '$type', '$in']);

function addPartial(normal: Doc, filter: unknown): void {
  if (filter === undefined) return;
  if (!isDoc(filter)) refuse(14, "The field 'partialFilterExpression' must be an object");
  if (normal.sparse === true) refuse(67, 'cannot mix "partialFilterExpression" and "sparse" options');
  checkPartial(filter);
  normal.partialFilterExpression = filter;
}

function checkPartial(filter: Doc): void {
  for (const [field, condition] of Object.entries(filter)) {
    if (field === '$and' && Array.isArray(condition)) {
      for (const clause of condition) if (isDoc(clause)) checkPartial(clause);
      continue;
    }
    const bad = field.startsWith('$') || condition instanceof BSONRegExp;
    const operators = isOperatorDoc(condition) ? Object.keys(condition) : [];
    const unknown = operators.find((operator) => !partialOperators.has(operator));
    const negative = isOperatorDoc(condition) && condition.$exists === false;
    if (bad || unknown || negative) refuse(67, `Expression not supported in partial index: ${shown(filter)}`);
  }
}

/** Builds the index a normal specification describes. */
export function buildIndex(id: number, spec: Doc, multikey: boolean, evaluate: Evaluate): Index {
  const key = spec.key as Doc;
  const fields = Object.keys(key);
  const partialFilter = spec.partialFilterExpression as Doc | undefined;
  return {
    id,
    name: spec.name as string,
    spec,
    fields,
    paths: fields.map(splitPath),
    directions: fields.map((field) => (toNumber(key[field]) < 0 ? -1 : 1)),
    unique: spec.unique === true,
    sparse: spec.sparse === true,
    partialFilter,
    partial: partialFilter && compileFilter(partialFilter, evaluate),
    expireAfterSeconds: spec.expireAfterSeconds === undefined ? undefined : toNumber(spec.expireAfterSeconds),
    multikey,
  };
}

/** The entries a document has in an index: encoded key to the values it was made of. */
export type IndexEntries = { entries: Map<string, { key: Buffer; values: unknown[] }>; multikey: boolean };

const none: IndexEntries = { entries: new Map(), multikey: false };

/** @param doc - Decoded exactly when the partial filter compares number widths. */
export function indexEntries(index: Index, doc: Doc): IndexEntries {
  if (index.partial && !index.partial.test(doc)) return none;
  const { keys, multikey }: KeyComponents = keyComponents(doc, index.paths);
  const entries: IndexEntries['entries'] = new Map();
  for (const values of keys) {
    if (index.sparse && values.every((value) => value === undefined)) continue;
    const key = encodeKeys(values, index.directions);
    entries.set(key.toString('latin1'), {
      key,
      values: values.map((value) => (value === EMPTY_ARRAY_KEY || value === undefined ? null : value)),
    });
  }
  return { entries, multikey };
}
