export { type Action, action, type Caller, type InputOf, type ParamsOf, type ResultOf } from './action.ts';
export * from './ai/exports.ts';
export * from './alerts/exports.ts';
export { type ActionOf, type Routes, routes } from './all-routes.ts';
export * from './analytics/exports.ts';
export {
  AuditCategory,
  AuditRecorded,
  AuditRow,
  AuditStream,
  auditCategories,
  ExportAudit,
  GetAudit,
  ListAudit,
  ListTimeline,
  TimelineItem,
} from './audit.ts';
export {
  AccessToken,
  CreateNonce,
  CreateToken,
  EndSession,
  GetJwks,
  GetMe,
  GetOpenidConfiguration,
  SignedMessage,
  TypedData,
  VerifyToken,
} from './auth.ts';
export {
  type BusService,
  type BusServiceName,
  busServiceNames,
  busServices,
  callersOf,
  definerOf,
  mayCall,
  oracleEvents,
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
export { type DurableEvent, durableEvent, type EventData, type StreamDefinition, stream } from './event.ts';
export {
  ChainStream,
  DirectoryStream,
  DisplayNameChanged,
  FiguresStream,
  LogGrew,
  OracleStream,
  PriceTransmitted,
  ProjectionMoved,
  ProjectionStream,
  RoleStream,
  RolesChanged,
  SessionRevoked,
  SessionStream,
  UpdateStream,
  updateKinds,
  VaultMeasured,
  VaultUpdate,
  VaultUpdated,
  ViewOnlyChanged,
} from './events.ts';
export * from './merkle/exports.ts';
export { operateRoutes } from './non-public-routes.ts';
export {
  GetPauseProof,
  GetVaultSettings,
  ListYieldSources,
  PauseProof,
  PauseTrial,
  VaultSettings,
  YieldSource,
} from './operate.ts';
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
export { publicRoutes } from './public-routes.ts';
export { roleOnVault } from './role-on-vault.ts';
export {
  type Method,
  type RateClass,
  type Route,
  type RouteAuth,
  type RouteInput,
  type RouteResult,
  route,
  type Sharing,
} from './route.ts';
export {
  CreateScopedToken,
  isWithinBinding,
  ListSessions,
  RevokeSession,
  Session,
  StepUp,
} from './sessions.ts';
export * from './strategies/exports.ts';
export { longestTokenSeconds, scopeAllows, TokenScope, tokenScopes } from './token-scope.ts';
export { GetRoles, GrantViewOnly, ListUsers, RevokeViewOnly, SetDisplayName, VaultUser } from './users.ts';
export {
  ConfigChanged,
  GetValidators,
  LateReason,
  ListTransmissions,
  NodeAlive,
  ObservationDropped,
  ReportAccepted,
  ReportedPrice,
  ReportRejected,
  RoundFinished,
  RoundStarted,
  StrategyRecovered,
  StrategyStale,
  TransmissionAttempted,
  TransmissionConfirmed,
  TransmissionFailed,
  TransmissionMined,
  TransmissionSuperseded,
  ValidatorIncident,
  ValidatorNode,
  ValidatorRound,
  ValidatorStream,
  validatorEvents,
} from './validators.ts';
export {
  Activation,
  AllocationItem,
  Chain,
  GetBlock,
  GetChainRoles,
  GetPauseStatus,
  GetTransaction,
  GetVault,
  GetVaultManagers,
  ListChains,
  ListLogEntries,
  ListMyVaults,
  ListPublicVaults,
  ListTokenAssets,
  LogEntry,
  NoteViewOnly,
  PauseState,
  PublicVault,
  TokenAsset,
  TransactionEvent,
  TransactionStatus,
  Transmission,
  Upkeep,
  VaultDetail,
  VaultRole,
} from './vaults.ts';
