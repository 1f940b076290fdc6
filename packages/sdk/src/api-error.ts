import { type ErrorCode, type FieldError, retryableCodes } from '@castellan/contracts';

type Fields = {
  status: number;
  code: string;
  detail: string;
  request_id: string | undefined;
  errors: readonly FieldError[];
};

const nextSteps: Readonly<Partial<Record<ErrorCode, string>>> = {
  STEP_UP_REQUIRED: 'Let the wallet sign again, then repeat the request.',
  SCOPE_REQUIRED: 'Use a token of a higher scope, or sign in with the wallet.',
  ROLE_REQUIRED: 'Ask the primary manager of the vault for the role.',
  PREPARED_EXPIRED: 'Prepare the call again.',
  MANDATE_REFUSES: 'Change what is prepared, or have the primary manager put another mandate into force.',
  IDEMPOTENCY_KEY_REUSED: 'Use a new idempotency key for a new request.',
};

const nextStepsByStatus: Readonly<Record<number, string>> = {
  400: 'Correct the request; `errors` names its fields.',
  401: 'Sign in again.',
  403: 'Use a token that may do this.',
  404: 'Check the chain id, address or id.',
  409: 'Read the resource again, then decide on what it is now.',
  422: 'The chain would refuse it: change the arguments, or wait until it allows them.',
  429: 'Wait `retry_after_seconds`, then repeat the request.',
  503: 'Wait `retry_after_seconds`, then repeat the request.',
};

const betweenServers = [429, 502, 503, 504];

const isRetryable = ({ code, status }: Fields): boolean =>
  (retryableCodes as readonly string[]).includes(code) || betweenServers.includes(status);

/**
 * An answer that was not a success. `code` is from the API's closed list; `NOT_A_PROBLEM` when something between client and
 * API answered in its stead. `retry_after_seconds` is what the server asked for, if it did.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** What was wrong with this very request. */
  readonly detail: string;
  /** What its reader does next. */
  readonly next_step: string;
  readonly request_id: string | undefined;
  readonly errors: readonly FieldError[];
  /** Whether the same request can succeed later without a change. */
  readonly retryable: boolean;
  readonly retry_after_seconds: number | undefined;

  constructor(fields: Fields & { retry_after_seconds?: number | undefined }) {
    super(`${fields.status} ${fields.code}: ${fields.detail}`);
    this.name = 'ApiError';
    this.status = fields.status;
    this.code = fields.code;
    this.detail = fields.detail;
    this.next_step =
      nextSteps[fields.code as ErrorCode] ??
      nextStepsByStatus[fields.status] ??
      'Ask the operator for help, with `request_id`.';
    this.request_id = fields.request_id;
    this.errors = fields.errors;
    this.retryable = isRetryable(fields);
    this.retry_after_seconds = fields.retry_after_seconds;
  }
}

/**
 * True for an answer with one of the codes; the compiler knows them all.
 * @example
 * const found = await client.vault({ params: vault }).catch((error: unknown) => {
 *   if (hasCode(error, 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND')) return undefined;
 *   throw error;
 * });
 */
export const hasCode = (error: unknown, ...codes: readonly ErrorCode[]): error is ApiError =>
  error instanceof ApiError && (codes as readonly string[]).includes(error.code);

const retryAfterOf = (response: Response): number | undefined => {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
};

async function problemIn(response: Response): Promise<Partial<Fields> | undefined> {
  if (!response.headers.get('content-type')?.includes('json')) return undefined;
  try {
    return (await response.json()) as Partial<Fields>;
  } catch {
    return undefined; // Cut off or not JSON after all: the status is what is known.
  }
}

/** The error an answer carries. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const problem = await problemIn(response);
  return new ApiError({
    status: response.status,
    code: problem?.code ?? 'NOT_A_PROBLEM',
    detail: problem?.detail ?? `The server answered ${response.status}.`,
    request_id: problem?.request_id ?? response.headers.get('x-request-id') ?? undefined,
    errors: problem?.errors ?? [],
    retry_after_seconds: retryAfterOf(response),
  });
}
