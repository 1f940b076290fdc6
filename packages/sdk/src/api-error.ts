import type { FieldError } from '@castellan/contracts';

type Fields = {
  status: number;
  code: string;
  detail: string;
  request_id: string | undefined;
  errors: readonly FieldError[];
};

/**
 * An answer that was not a success. `code` is from the API's closed list; `NOT_A_PROBLEM` when something between client and
 * API answered in its stead. `retry_after_seconds` is what the server asked for, if it did.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly request_id: string | undefined;
  readonly errors: readonly FieldError[];
  readonly retry_after_seconds: number | undefined;

  constructor(fields: Fields & { retry_after_seconds?: number | undefined }) {
    super(`${fields.status} ${fields.code}: ${fields.detail}`);
    this.name = 'ApiError';
    this.status = fields.status;
    this.code = fields.code;
    this.detail = fields.detail;
    this.request_id = fields.request_id;
    this.errors = fields.errors;
    this.retry_after_seconds = fields.retry_after_seconds;
  }
}

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
