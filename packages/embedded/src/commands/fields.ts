import { refuse } from '../engine/errors.ts';
import { type Doc, isDoc, isNumeric, toNumber, typeName } from '../engine/values/types.ts';

/** Fields any command may carry. */
const genericFields = new Set([
  '$db',
  'lsid',
  '$clusterTime',
  '$readPreference',
  'readConcern',
  'writeConcern',
  'comment',
  'maxTimeMS',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
  'txnNumber',
  'autocommit',
  'startTransaction',
]);

/** Refuses fields a command does not have. @throws {StoreError} IDLUnknownField. */
export function checkFields(command: string, body: Doc, known: ReadonlySet<string>): void {
  for (const field of Object.keys(body)) {
    if (known.has(field) || genericFields.has(field) || field === command) continue;
    refuse(40415, `BSON field '${command}.${field}' is an unknown field.`);
  }
}

/** Refuses fields a sub-document does not have. */
export function checkInner(name: string, doc: Doc, known: ReadonlySet<string>): void {
  for (const field of Object.keys(doc)) {
    if (!known.has(field)) refuse(40415, `BSON field '${name}.${field}' is an unknown field.`);
  }
}

/** A document field, `{}` when absent. @throws {StoreError} TypeMismatch. */
export function docField(body: Doc, name: string): Doc {
  const value = body[name];
  if (value === undefined) return {};
  if (!isDoc(value))
    return refuse(14, `BSON field '${name}' is the wrong type '${typeName(value)}', expected type 'object'`);
  return value;
}

/** A non-negative whole number, or the default when absent. @throws {StoreError} TypeMismatch or BadValue. */
export function countField(body: Doc, name: string, absent: number): number {
  const value = body[name];
  if (value === undefined || value === null) return absent;
  if (!isNumeric(value))
    return refuse(14, `BSON field '${name}' is the wrong type '${typeName(value)}', expected a number`);
  const number = Math.trunc(toNumber(value));
  if (number < 0) refuse(51024, `BSON field '${name}' value must be >= 0, actual value '${number}'`);
  return number;
}

/** True for `true` and for non-zero numbers. @throws {StoreError} TypeMismatch. */
export function flagField(body: Doc, name: string): boolean {
  const value = body[name];
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  if (isNumeric(value)) return toNumber(value) !== 0;
  return refuse(14, `BSON field '${name}' is the wrong type '${typeName(value)}', expected type 'bool'`);
}

/** The name of the collection a command is about. @throws {StoreError} InvalidNamespace. */
export function collectionName(body: Doc, command: string): string {
  const name = body[command];
  if (typeof name !== 'string') return refuse(73, `collection name has invalid type ${typeName(name)}`);
  if (name === '') refuse(73, 'Invalid namespace specified: the collection name is empty');
  return name;
}

/** Refuses features that would change results if they were ignored. */
export function refuseUnsupported(body: Doc, names: readonly string[]): void {
  for (const name of names) {
    const value = body[name];
    if (value === undefined || value === false || (isDoc(value) && Object.keys(value).length === 0)) continue;
    if (name === 'collation' && isDoc(value) && value.locale === 'simple') continue;
    refuse(238, `'${name}' is not supported by the embedded store`);
  }
}

/** Whether the writer asked for its write to be on disk before the answer: `j: true` or `w: 'majority'`. */
export function wantsJournal(body: Doc): boolean {
  const concern = docField(body, 'writeConcern');
  checkInner('writeConcern', concern, new Set(['w', 'j', 'wtimeout', 'wtimeoutMS', 'fsync', 'provenance']));
  const { w } = concern;
  if (isNumeric(w) && toNumber(w) > 1) refuse(2, "cannot use 'w' > 1 when a host is not replicated");
  if (typeof w === 'string' && w !== 'majority')
    refuse(2, `cannot use non-majority 'w' mode '${w}' when a host is not replicated`);
  return concern.j === true || concern.fsync === true || (w === 'majority' && concern.j !== false);
}

/**
 * Whether a command is a part of a transaction. @throws {StoreError} for retryable writes and read concerns, which one
 * machine cannot give.
 */
export function partOfTransaction(body: Doc): boolean {
  const isPart = body.autocommit === false;
  if (
    !isPart &&
    (body.txnNumber !== undefined || body.startTransaction !== undefined || body.autocommit !== undefined)
  ) {
    refuse(20, 'Transaction numbers are only allowed on a replica set member or mongos');
  }
  const concern = docField(body, 'readConcern');
  const { level } = concern;
  const isSnapshot = level === 'snapshot' && !isPart;
  if (isSnapshot || level === 'linearizable' || concern.afterClusterTime !== undefined) {
    refuse(123, 'node needs to be a replica set member to use read concern');
  }
  if (level !== undefined && !['local', 'available', 'majority', 'snapshot'].includes(String(level)))
    refuse(9, `readConcern.level '${level}' is not valid`);
  return isPart;
}
