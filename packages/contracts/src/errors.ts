/**
 * The closed list of error codes. A code is what clients and services test; status is its HTTP status;
 * `retryable` says whether repeating the same request later can succeed without a change by the caller.
 * Codes that name a contract's custom error use the contract's own spelling.
 */
export const errorCodes = {
  // 400: the request itself is malformed
  VALIDATION_FAILED: { status: 400, retryable: false, title: 'The request is malformed' },
  MALFORMED_JSON: { status: 400, retryable: false, title: 'The body is not valid JSON' },
  ADDRESS_MALFORMED: { status: 400, retryable: false, title: 'The address is malformed' },
  ADDRESS_CHECKSUM: { status: 400, retryable: false, title: 'The address fails its EIP-55 checksum' },
  MESSAGE_MALFORMED: { status: 400, retryable: false, title: 'The sign-in message is malformed' },
  CURSOR_INVALID: { status: 400, retryable: false, title: 'The cursor is not one this list returned' },
  PERIOD_UNKNOWN: { status: 400, retryable: false, title: 'The period is not one of those offered' },
  RANGE_REVERSED: { status: 400, retryable: false, title: 'The range ends before it begins' },
  POINTS_OUT_OF_RANGE: { status: 400, retryable: false, title: 'The number of points is out of range' },
  BLOCK_IN_FUTURE: { status: 400, retryable: false, title: 'The time is after the last indexed block' },
  BEFORE_CREATION: { status: 400, retryable: false, title: 'The vault did not exist then' },
  ANSWER_TOO_LARGE: { status: 400, retryable: false, title: 'The answer would be too large' },
  BAD_REQUEST: { status: 400, retryable: false, title: 'The request is malformed' },
  // 401: no or bad token
  TOKEN_MISSING: { status: 401, retryable: false, title: 'A bearer token is required' },
  TOKEN_INVALID: { status: 401, retryable: false, title: 'The bearer token is not valid' },
  TOKEN_EXPIRED: { status: 401, retryable: false, title: 'The bearer token has expired' },
  TOKEN_REVOKED: { status: 401, retryable: false, title: 'The session has ended' },
  NONCE_INVALID: { status: 401, retryable: false, title: 'The nonce is unknown, used or expired' },
  SIGNATURE_INVALID: { status: 401, retryable: false, title: 'The signature does not match' },
  // 403
  ROLE_REQUIRED: { status: 403, retryable: false, title: 'Your role on this vault is too low' },
  SCOPE_REQUIRED: { status: 403, retryable: false, title: 'The token does not allow this' },
  STEP_UP_REQUIRED: { status: 403, retryable: false, title: 'A recent signature of the wallet is required' },
  CALLER_UNPROVEN: { status: 403, retryable: false, title: 'The caller has not proven who it is' },
  ORIGIN_FORBIDDEN: { status: 403, retryable: false, title: 'This origin is not allowed to use the API' },
  // 404, 405
  ROUTE_NOT_FOUND: { status: 404, retryable: false, title: 'No such route' },
  VAULT_NOT_FOUND: { status: 404, retryable: false, title: 'No such vault' },
  CHAIN_NOT_FOUND: { status: 404, retryable: false, title: 'No such chain' },
  USER_NOT_FOUND: { status: 404, retryable: false, title: 'No such user' },
  PREPARED_NOT_FOUND: { status: 404, retryable: false, title: 'No such prepared call' },
  AUDIT_ROW_NOT_FOUND: { status: 404, retryable: false, title: 'No such audit row' },
  SESSION_NOT_FOUND: { status: 404, retryable: false, title: 'No such session' },
  POST_NOT_FOUND: { status: 404, retryable: false, title: 'No such post' },
  ALERT_NOT_FOUND: { status: 404, retryable: false, title: 'No such alert' },
  MANDATE_NOT_FOUND: { status: 404, retryable: false, title: 'No such mandate' },
  BREACH_NOT_FOUND: { status: 404, retryable: false, title: 'No such breach' },
  CHANNEL_NOT_FOUND: { status: 404, retryable: false, title: 'No such notification channel' },
  CONVERSATION_NOT_FOUND: { status: 404, retryable: false, title: 'No such conversation' },
  HOOK_NOT_FOUND: { status: 404, retryable: false, title: 'No such hook' },
  HOOK_CONFIG_NOT_FOUND: { status: 404, retryable: false, title: 'No such hook configuration' },
  HOOKS_TREE_NOT_FOUND: { status: 404, retryable: false, title: 'No such tree' },
  LEAF_NOT_FOUND: { status: 404, retryable: false, title: 'No such leaf' },
  JOB_NOT_FOUND: { status: 404, retryable: false, title: 'No such job' },
  ARTIFACT_NOT_FOUND: { status: 404, retryable: false, title: 'No such artifact' },
  STRATEGY_NOT_FOUND: { status: 404, retryable: false, title: 'No such strategy' },
  ROUND_NOT_FOUND: { status: 404, retryable: false, title: 'No such round' },
  INTENT_NOT_FOUND: { status: 404, retryable: false, title: 'No such intent' },
  SIMULATION_NOT_FOUND: { status: 404, retryable: false, title: 'No such simulation' },
  ENGINE_IDLE: { status: 404, retryable: false, title: 'No strategy runs on this vault' },
  RULE_NOT_FOUND: { status: 404, retryable: false, title: 'No such rule' },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false, title: 'The method is not allowed here' },
  // 409
  VERSION_CONFLICT: { status: 409, retryable: false, title: 'The resource has changed since it was read' },
  JOB_RUNNING: { status: 409, retryable: true, title: 'A job of this kind is already running for this vault' },
  NO_ACTIVE_HOOK_CONFIG: { status: 409, retryable: false, title: 'No hook configuration of this vault is active' },
  NOT_GENERATED: { status: 409, retryable: false, title: 'The active hook configuration has no tree yet' },
  PREPARED_EXPIRED: { status: 409, retryable: false, title: 'The prepared call has expired' },
  ALREADY_BROADCAST: { status: 409, retryable: false, title: 'Another transaction already carries the prepared call' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, retryable: false, title: 'The Idempotency-Key was used for another request' },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    retryable: true,
    title: 'A request with this Idempotency-Key is still running',
  },
  STRATEGY_EXISTS: { status: 409, retryable: false, title: 'A strategy with this id already exists' },
  STRATEGY_LIMIT: { status: 409, retryable: false, title: 'The vault already has as many strategies as are allowed' },
  STATE_CHANGE_REFUSED: {
    status: 409,
    retryable: false,
    title: 'The strategy cannot change from its state to that one',
  },
  LANE_MISMATCH: { status: 409, retryable: false, title: 'The order must name exactly the strategies of the lane' },
  EMERGENCY_LOCK_ACTIVE: { status: 409, retryable: false, title: 'An emergency exit holds this yield source' },
  SIMULATION_EXISTS: { status: 409, retryable: false, title: 'This simulation is already saved' },
  MANDATE_ENFORCED: { status: 409, retryable: false, title: 'This version of the mandate is or was in force' },
  ALERT_RESOLVED: { status: 409, retryable: false, title: 'The alert is already resolved' },
  TOO_MANY_CHANNELS: { status: 409, retryable: false, title: 'The wallet already has as many channels as are allowed' },
  TOO_MANY_PREPARED: { status: 409, retryable: false, title: 'The wallet has as many unsent calls as are allowed' },
  TOO_MANY_RULES: { status: 409, retryable: false, title: 'The vault already has as many own rules as are allowed' },
  MONTH_NOT_FINAL: { status: 409, retryable: true, title: 'The month is not final yet' },
  MANDATE_REFUSES: { status: 409, retryable: false, title: 'The mandate of the vault refuses this' },
  // 413, 415
  BODY_TOO_LARGE: { status: 413, retryable: false, title: 'The body is too large' },
  MEDIA_TYPE_UNSUPPORTED: { status: 415, retryable: false, title: 'The media type is not supported' },
  // 422: well formed, but the chain would refuse it
  MANAGER_ALREADY_EXISTS: { status: 422, retryable: false, title: 'Already a secondary manager' },
  SECONDARY_MANAGER_CANNOT_BE_PRIMARY: {
    status: 422,
    retryable: false,
    title: 'The primary manager cannot be secondary',
  },
  TOO_MANY_SECONDARY_MANAGERS: {
    status: 422,
    retryable: false,
    title: 'The vault already has as many secondary managers as are allowed',
  },
  MANDATE_SIGNATURE_INVALID: {
    status: 422,
    retryable: false,
    title: 'The signature is not one of the primary manager over this version',
  },
  MANAGER_NOT_FOUND: { status: 422, retryable: false, title: 'Not a secondary manager' },
  ZERO_ADDRESS: { status: 422, retryable: false, title: 'The zero address is not allowed' },
  UNAUTHORIZED_UPDATE_AUTHORITY: { status: 422, retryable: false, title: 'The chain would refuse the caller' },
  WOULD_REVERT: { status: 422, retryable: false, title: 'The chain would refuse this call' },
  MANAGER_NOT_AUTHORIZED: { status: 422, retryable: false, title: 'The chain would refuse the caller' },
  CALLER_NOT_AUTHORIZED: { status: 422, retryable: false, title: 'The chain would refuse the caller' },
  UNKNOWN_STRATEGY: { status: 422, retryable: false, title: 'The chain does not know this strategy' },
  NO_PENDING_MANAGER_CHANGE: { status: 422, retryable: false, title: 'No such change is proposed' },
  INVALID_PERFORMANCE_FEE_BPS: { status: 422, retryable: false, title: 'The fees are above what a vault can charge' },
  NO_PROPOSAL: { status: 422, retryable: false, title: 'Nothing is proposed' },
  INVALID_TIMESTAMP: { status: 422, retryable: false, title: 'The proposal cannot be executed yet' },
  INVALID_PPS_EXPIRY_THRESHOLD: { status: 422, retryable: false, title: 'The expiration is out of range' },
  MIN_UPDATE_INTERVAL_TOO_HIGH: {
    status: 422,
    retryable: false,
    title: 'The interval must be shorter than the maximum staleness',
  },
  NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE: {
    status: 422,
    retryable: false,
    title: 'No change of the interval is proposed',
  },
  TIMELOCK_NOT_EXPIRED: { status: 422, retryable: false, title: 'The proposal cannot be executed yet' },
  SKIM_TIMELOCK_ACTIVE: {
    status: 422,
    retryable: false,
    title: 'Fees cannot be taken until 12 hours after an unpause',
  },
  NOT_ENOUGH_FREE_ASSETS_FEE_SKIM: {
    status: 422,
    retryable: false,
    title: 'The vault has too few idle assets to pay the fee',
  },
  NOTHING_TO_SKIM: { status: 422, retryable: false, title: 'The price is not above the high-water mark' },
  STRATEGY_PAUSED: { status: 422, retryable: false, title: 'The vault is paused' },
  STALE_PPS: { status: 422, retryable: false, title: 'The vault is waiting for its next price' },
  PPS_EXPIRED: { status: 422, retryable: false, title: 'The price has expired' },
  STRATEGY_ALREADY_PAUSED: { status: 422, retryable: false, title: 'The vault is already paused' },
  STRATEGY_NOT_PAUSED: { status: 422, retryable: false, title: 'The vault is not paused' },
  ZERO_AMOUNT: { status: 422, retryable: false, title: 'The amount is zero' },
  INVALID_AMOUNT: { status: 422, retryable: false, title: 'The amount is out of range' },
  UPKEEP_WITHDRAWAL_NOT_FOUND: { status: 422, retryable: false, title: 'No withdrawal is proposed' },
  UPKEEP_WITHDRAWAL_NOT_READY: { status: 422, retryable: false, title: 'The withdrawal cannot be executed yet' },
  ERC20InsufficientBalance: { status: 422, retryable: false, title: 'The wallet has too few tokens' },
  ERC20InsufficientAllowance: { status: 422, retryable: false, title: 'The allowance is too small' },
  YIELD_SOURCE_ALREADY_EXISTS: { status: 422, retryable: false, title: 'The yield source is already on the list' },
  YIELD_SOURCE_NOT_FOUND: { status: 422, retryable: false, title: 'The yield source is not on the list' },
  YIELD_SOURCE_FUNDED: { status: 422, retryable: false, title: 'The vault still holds assets in the yield source' },
  ORACLE_UNFIT: { status: 422, retryable: false, title: 'The oracle gives no value for this source' },
  HOOK_ROW_REFUSED: { status: 422, retryable: false, title: 'A row of the hook configuration cannot be used' },
  ROOT_UPDATE_NOT_READY: { status: 422, retryable: false, title: 'The hooks root cannot be put into force yet' },
  HOOKS_TREE_UNKNOWN: { status: 422, retryable: false, title: 'No tree of this vault has this root' },
  HOOKS_ROOT_UNCHANGED: { status: 422, retryable: false, title: 'The hooks root is already in force or proposed' },
  LEAVES_UNCHANGED: { status: 422, retryable: false, title: 'The leaves are already in this state' },
  ZERO_SHARE_FULFILLMENT_DISALLOWED: { status: 422, retryable: false, title: 'A wallet has no request to redeem' },
  BOUNDS_EXCEEDED: { status: 422, retryable: false, title: 'The price is below the least that a request accepts' },
  INSUFFICIENT_LIQUIDITY: { status: 422, retryable: false, title: 'The vault has too few idle assets' },
  REDEMPTION_CANCELLED: { status: 422, retryable: false, title: 'A wallet wants its shares back' },
  REQUEST_NOT_FOUND: { status: 422, retryable: false, title: 'There is no such request' },
  CANCELLATION_REDEEM_REQUEST_PENDING: {
    status: 422,
    retryable: false,
    title: 'The cancellation of a request waits to be resolved',
  },
  INVALID_WITHDRAW_PRICE: { status: 422, retryable: false, title: 'Nothing was paid that could be claimed' },
  OPERATIONS_BLOCKED_BY_VETO: {
    status: 422,
    retryable: false,
    title: 'A veto of the global hooks root stops deposits',
  },
  TRANSACTION_MISMATCH: { status: 422, retryable: false, title: 'The transaction does not carry this prepared call' },
  ALREADY_MANAGER: { status: 422, retryable: false, title: 'The wallet already manages this vault' },
  ADDRESS_FORBIDDEN: { status: 422, retryable: false, title: 'Notifications cannot be sent to this address' },
  // 429
  RATE_LIMITED: { status: 429, retryable: true, title: 'Too many requests' },
  AI_BUDGET_SPENT: { status: 429, retryable: true, title: 'The AI budget is used up for now' },
  // 5xx
  MODEL_UNAVAILABLE: { status: 503, retryable: true, title: 'The model cannot be reached' },
  INTERNAL: { status: 500, retryable: false, title: 'Something failed on our side' },
  SERVICE_UNAVAILABLE: { status: 503, retryable: true, title: 'A part of the system is not available' },
  RPC_UNAVAILABLE: { status: 503, retryable: true, title: 'The chain cannot be reached' },
  NOT_READY: { status: 503, retryable: true, title: 'The first indexing of this chain is not complete' },
} as const;

/** A key of `errorCodes`. */
export type ErrorCode = keyof typeof errorCodes;

/** One fault of a request: where (`body.manager_address`) and what is allowed. */
export type FieldError = { path: string; message: string };

/** Data that may travel with an error; never anything secret, because the caller sees it. */
export type ErrorData = { errors?: FieldError[]; retry_after_seconds?: number; [key: string]: unknown };

/**
 * The error that crosses the bus and reaches the client.
 * @param code - One of {@link errorCodes}; decides status and whether a retry makes sense.
 * @param message - Says what was wrong and what to do next. Holds nothing secret.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly data: ErrorData | undefined;

  constructor(code: ErrorCode, message: string, options: { data?: ErrorData; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = errorCodes[code].status;
    this.retryable = errorCodes[code].retryable;
    this.data = options.data;
  }
}

/** True when `value` is one of our codes. */
export const isErrorCode = (value: unknown): value is ErrorCode =>
  typeof value === 'string' && Object.hasOwn(errorCodes, value);

/**
 * The code of an error, wherever it was made: remote errors lose their class but keep `type` or `code`.
 * @returns The code, or undefined for an error that is not ours (a bug, or a library's).
 */
export function errorCodeOf(error: unknown): ErrorCode | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, type } = error as { code?: unknown; type?: unknown };
  if (isErrorCode(type)) return type;
  return isErrorCode(code) ? code : undefined;
}

/** True when `error` carries `code`, on this side of the bus or the other. */
export const hasErrorCode = (error: unknown, code: ErrorCode): boolean => errorCodeOf(error) === code;
