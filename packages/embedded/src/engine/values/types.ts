import { type BSONRegExp, Decimal128, Double, deserialize, Int32, Long, serialize } from 'bson';

/** A document as the engine handles it: field order is insertion order. */
export type Doc = Record<string, unknown>;

/** Canonical classes in MongoDB's sort order; numbers of every width share one. */
export const Class = {
  minKey: 0x02,
  emptyArray: 0x05,
  nil: 0x07,
  number: 0x0a,
  string: 0x0f,
  object: 0x14,
  array: 0x19,
  binary: 0x1e,
  objectId: 0x23,
  bool: 0x28,
  date: 0x2d,
  timestamp: 0x2f,
  regex: 0x32,
  dbPointer: 0x37,
  code: 0x3c,
  codeWithScope: 0x41,
  maxKey: 0x7f,
} as const;

const taggedClasses: Record<string, number> = {
  Int32: Class.number,
  Double: Class.number,
  Long: Class.number,
  Decimal128: Class.number,
  ObjectId: Class.objectId,
  Binary: Class.binary,
  Timestamp: Class.timestamp,
  BSONRegExp: Class.regex,
  BSONSymbol: Class.string,
  Code: Class.code,
  DBRef: Class.object,
  MinKey: Class.minKey,
  MaxKey: Class.maxKey,
};

/** The `_bsontype` of a value of the bson library, or undefined for plain JavaScript values. */
export const bsonType = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null ? (value as { _bsontype?: string })._bsontype : undefined;

/** The canonical class of a value, see `Class`. */
export function classOf(value: unknown): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return Class.number;
    case 'string':
      return Class.string;
    case 'boolean':
      return Class.bool;
    case 'object':
      break;
    default:
      return Class.nil;
  }
  if (value === null) return Class.nil;
  const tag = (value as { _bsontype?: string })._bsontype;
  if (tag !== undefined) return taggedClasses[tag] ?? Class.object;
  if (Array.isArray(value)) return Class.array;
  if (value instanceof Date) return Class.date;
  if (value instanceof Uint8Array) return Class.binary;
  if (value instanceof RegExp) return Class.regex;
  return Class.object;
}

/** True for a sub-document: not an array, not null and no scalar of the bson library. */
export const isDoc = (value: unknown): value is Doc =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Date) &&
  !(value instanceof Uint8Array) &&
  !(value instanceof RegExp) &&
  ((value as { _bsontype?: string })._bsontype ?? 'DBRef') === 'DBRef';

/** True for null, undefined and missing, which MongoDB's equality with null treats alike. */
export const isNil = (value: unknown): value is null | undefined => value === null || value === undefined;

/** True for a number of any BSON width. */
export const isNumeric = (value: unknown): boolean => classOf(value) === Class.number;

const typeNames: Record<number, string> = {
  [Class.minKey]: 'minKey',
  [Class.nil]: 'null',
  [Class.string]: 'string',
  [Class.object]: 'object',
  [Class.array]: 'array',
  [Class.binary]: 'binData',
  [Class.objectId]: 'objectId',
  [Class.bool]: 'bool',
  [Class.date]: 'date',
  [Class.timestamp]: 'timestamp',
  [Class.regex]: 'regex',
  [Class.code]: 'javascript',
  [Class.maxKey]: 'maxKey',
};

/** MongoDB's alias of a value's BSON type (`int`, `long`, `double`, `decimal`, `string`, ...). */
export function typeName(value: unknown): string {
  switch (bsonType(value)) {
    case 'Int32':
      return 'int';
    case 'Long':
      return 'long';
    case 'Double':
      return 'double';
    case 'Decimal128':
      return 'decimal';
  }
  if (value === undefined) return 'missing';
  if (typeof value === 'number') return Number.isInteger(value) && value === (value | 0) ? 'int' : 'double';
  return typeNames[classOf(value)] ?? 'object';
}

/** Decodes with every BSON type kept apart (Int32, Long and Double are objects), for writing back exactly. */
export const decodeExact = (bytes: Uint8Array): Doc =>
  deserialize(bytes, { promoteValues: false, promoteBuffers: false, bsonRegExp: true });

/** Decodes with JavaScript numbers where they are exact; faster, for reading and matching. */
export const decodePlain = (bytes: Uint8Array): Doc =>
  deserialize(bytes, { promoteLongs: true, promoteBuffers: false, bsonRegExp: true });

/** Encodes a document; undefined fields are dropped. */
export const encode = (doc: Doc): Uint8Array => serialize(doc, { ignoreUndefined: true });

/** A JavaScript number for any BSON number; exact up to 2^53. */
export function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (value instanceof Int32 || value instanceof Double) return value.value;
  if (value instanceof Long) return value.toNumber();
  if (value instanceof Decimal128) return Number(value.toString());
  return Number.NaN;
}

function promoteScalar(value: object): unknown {
  if (value instanceof Int32 || value instanceof Double) return value.value;
  if (value instanceof Long) {
    const number = value.toNumber();
    return Number.isSafeInteger(number) ? number : value;
  }
  return value;
}

/** Deep copy with exact numbers turned into JavaScript ones; Decimal128 and wide Longs stay as they are. */
export function promote(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(promote);
  if (bsonType(value) !== undefined) return promoteScalar(value);
  if (!isDoc(value)) return value;
  const out: Doc = {};
  for (const key of Object.keys(value)) out[key] = promote(value[key]);
  return out;
}

/** JavaScript's form of a stored regular expression. */
export function toRegExp(value: BSONRegExp | RegExp): RegExp {
  if (value instanceof RegExp) return value;
  return new RegExp(value.pattern, value.options.replace(/[^imsu]/g, ''));
}
