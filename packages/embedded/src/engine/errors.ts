import type { Doc } from './values/types.ts';

/** Names of the error codes this store answers with, as MongoDB's error_codes.yml spells them. */
export const errorNames = {
  1: 'InternalError',
  2: 'BadValue',
  9: 'FailedToParse',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  18: 'AuthenticationFailed',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  54: 'NotSingleValueField',
  56: 'EmptyFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  112: 'WriteConflict',
  123: 'NotAReplicaSet',
  146: 'ExceededMemoryLimit',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  197: 'InvalidIndexSpecificationOption',
  224: 'QueryFeatureNotAllowed',
  225: 'TransactionTooOld',
  238: 'NotImplemented',
  241: 'ConversionFailure',
  246: 'SnapshotUnavailable',
  251: 'NoSuchTransaction',
  256: 'TransactionCommitted',
  263: 'OperationNotSupportedInTransaction',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  15947: 'Location15947',
  15952: 'Location15952',
  15955: 'Location15955',
  15958: 'Location15958',
  15959: 'Location15959',
  15983: 'Location15983',
  16020: 'Location16020',
  16410: 'Location16410',
  16420: 'Location16420',
  28667: 'Location28667',
  28747: 'Location28747',
  28818: 'Location28818',
  31249: 'Location31249',
  31252: 'Location31252',
  31253: 'Location31253',
  31254: 'Location31254',
  40156: 'Location40156',
  40157: 'Location40157',
  40158: 'Location40158',
  40160: 'Location40160',
  40169: 'Location40169',
  40066: 'Location40066',
  40192: 'Location40192',
  40194: 'Location40194',
  40197: 'Location40197',
  40228: 'Location40228',
  40323: 'Location40323',
  40234: 'Location40234',
  40238: 'Location40238',
  40324: 'Location40324',
  40352: 'Location40352',
  40414: 'IDLFailedToParse',
  40415: 'IDLUnknownField',
  40571: 'Location40571',
  40573: 'Location40573',
  40602: 'Location40602',
  50740: 'Location50740',
  50741: 'Location50741',
  51024: 'Location51024',
  51091: 'Location51091',
  51246: 'Location51246',
  51270: 'Location51270',
  51108: 'Location51108',
} as const;

/** A code of `errorNames`. */
export type ErrorCode = keyof typeof errorNames;

/** A refusal that reaches the client as `{ ok: 0, code, codeName, errmsg }` or as a write error. */
export class StoreError extends Error {
  readonly code: ErrorCode;
  readonly extra: Doc;

  constructor(code: ErrorCode, message: string, extra: Doc = {}) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
    this.extra = extra;
  }

  get codeName(): string {
    return errorNames[this.code];
  }
}

/** Refuses the current command with MongoDB's own code. @throws {StoreError} always. */
export function refuse(code: ErrorCode, message: string, extra: Doc = {}): never {
  throw new StoreError(code, message, extra);
}
