export { type Action, action, type Caller, type InputOf, type ParamsOf, type ResultOf } from './action.ts';
export * from './ai/exports.ts';
export * from './alerts/exports.ts';
export { type ActionOf, type Routes, routes } from './all-routes.ts';
export * from './analytics/exports.ts';
export { benchmarkedReads, formulasVersion } from './analytics/formulas-version.ts';
export { overviewRoutes } from './analytics/overview.ts';
export * from './audit/exports.ts';
export {
  type BusService,
  type BusServiceName,
  busReaders,
  busServiceNames,
  busServices,
  callersOf,
  definerOf,
  isHeard,
  mayCall,
  oracleEvents,
  publicStreams,
  readersOf,
  serverOf,
  servesAction,
} from './bus-services.ts';
export { type Callers, isRepeatable, relayingServices, type ServiceName, serviceNames } from './callers.ts';
export { envelopeHeader, longestEnvelope, RenewEnvelope } from './envelopes.ts';
export {
  AppError,
  type ErrorCode,
  type ErrorData,
  errorCodeOf,
  errorCodes,
  type FieldError,
  hasErrorCode,
  isErrorCode,
} from './errors.ts';
export {
  type DurableEvent,
  deadLetterDiskPercent,
  durableEvent,
  type EventData,
  type StreamDefinition,
  stream,
} from './event.ts';
export {
  ChainStream,
  DirectoryStream,
  DisplayNameChanged,
  FiguresStream,
  LogGrew,
  MandateEnforced,
  OracleStream,
  PriceTransmitted,
  ProjectionMoved,
  ProjectionStream,
  RoleStream,
  RolesChanged,
  SessionRevoked,
  SessionStream,
  UpdateStream,
  VaultMeasured,
  VaultUpdate,
  VaultUpdated,
  ViewOnlyChanged,
} from './events.ts';
export * from './identity/exports.ts';
export * from './mandates/exports.ts';
export * from './merkle/exports.ts';
export * from './prepared/exports.ts';
export {
  Address,
  Bps,
  ChainId,
  ChainIdParam,
  DecodedCall,
  DisplayName,
  Eip55,
  FeeConfig,
  Hash,
  HexData,
  HooksVeto,
  IntString,
  IsoTime,
  joinedEmoji,
  LimitParam,
  listOf,
  NamedWallet,
  Role,
  roles,
  Seconds,
  TransactionRequest,
  TxHash,
  UintString,
  VaultRef,
} from './primitives.ts';
export { Problem } from './problem.ts';
export * from './reports/exports.ts';
export { retryableCodes } from './retryable-codes.ts';
export {
  type Deprecated,
  type Method,
  type RateClass,
  type Route,
  type RouteAuth,
  type RouteInput,
  type RouteResult,
  route,
  type Sharing,
  takesFields,
  takesIdempotencyKey,
} from './route.ts';
export { operateRoutes } from './routes-of-operate-pages.ts';
export { operateStartRoutes } from './routes-of-operate-start.ts';
export { publicRoutes } from './routes-of-public-pages.ts';
export { publicStartRoutes } from './routes-of-public-start.ts';
export * from './scenarios/exports.ts';
export * from './strategies/exports.ts';
export * from './users/exports.ts';
export * from './vaults/exports.ts';
