export { type Action, action, type Caller, type InputOf, type ParamsOf, type ResultOf } from './action.ts';
export {
  CompareVaults,
  compareMetrics,
  compareSeries,
} from './analytics/compare.ts';
export { ExportPage, exportDatasets, exportFormats } from './analytics/export.ts';
export { FigureStatus, Quality, Receipt, ReceiptInput } from './analytics/figures.ts';
export {
  FeeEntry,
  feeKinds,
  GetOperations,
  GetVolume,
  ListFees,
  ListVaultTransactions,
  transactionTypes,
  VaultTransaction,
} from './analytics/operations.ts';
export {
  ChangeSplit,
  GetAllocationSeries,
  GetApySeries,
  GetOverview,
  GetPerformance,
  GetPps,
  GetPpsWhatIf,
  GetTvlSeries,
} from './analytics/performance.ts';
export { type Period, periods } from './analytics/request.ts';
export { GetConcentration, GetDrawdown, GetRisk, GetVolatility, RunSimulation } from './analytics/risk.ts';
export { GetCohorts, GetRetention, GetUsers, Holder, ListTopHolders } from './analytics/users.ts';
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
  CreateNonce,
  CreateToken,
  EndSession,
  GetJwks,
  GetMe,
  GetOpenidConfiguration,
  TypedData,
  VerifyToken,
} from './auth.ts';
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
  LogAppended,
  OracleStream,
  PriceTransmitted,
  SessionRevoked,
  SessionStream,
  UpdateStream,
  updateKinds,
  VaultMeasured,
  VaultUpdate,
  VaultUpdated,
  ViewOnlyChanged,
} from './events.ts';
export {
  GetPauseProof,
  GetVaultSettings,
  ListYieldSources,
  PauseProof,
  PauseTrial,
  VaultSettings,
  YieldSource,
} from './operate.ts';
export { type PreparedArgs, type PreparedKind, preparedArgs, preparedKinds, Reason } from './prepared/kinds.ts';
export {
  BroadcastPrepared,
  GetPrepared,
  ListPrepared,
  Precondition,
  PrepareChange,
  PreparedCall,
  PreparedChange,
  PreparedResource,
  PreparedState,
  preparedStates,
  SafePackage,
  Signer,
  TimelockPackage,
} from './prepared/prepared-call.ts';
export {
  Address,
  Bps,
  ChainId,
  ChainIdParam,
  DisplayName,
  Eip55,
  Hash,
  HexData,
  IntString,
  IsoTime,
  LimitParam,
  listOf,
  Role,
  roles,
  Seconds,
  TxHash,
  UintString,
  VaultRef,
} from './primitives.ts';
export { Problem } from './problem.ts';
export {
  type Method,
  type RateClass,
  type Route,
  type RouteAuth,
  type RouteInput,
  type RouteResult,
  route,
} from './route.ts';
export { type Routes, routes } from './routes.ts';
export {
  CreateScopedToken,
  isWithinBinding,
  ListSessions,
  RevokeSession,
  Session,
  StepUp,
} from './sessions.ts';
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
