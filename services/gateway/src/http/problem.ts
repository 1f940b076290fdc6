import { AppError, type ErrorCode, errorCodes, type Problem } from '@castellan/contracts';
import { toAppError } from '@castellan/service-kit';

export const problemMedia = 'application/problem+json';

/** What fastify itself refuses, in our words. */
const frameworkErrors: Readonly<Record<string, { code: ErrorCode; detail: string }>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'MALFORMED_JSON', detail: 'The body is not valid JSON.' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'MALFORMED_JSON', detail: 'The body is empty; send a JSON object.' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'BODY_TOO_LARGE', detail: 'The body is larger than 1 MiB.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'MEDIA_TYPE_UNSUPPORTED', detail: 'Send the body as application/json.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'BAD_REQUEST',
    detail: 'The body is not as long as Content-Length says.',
  },
  FST_ERR_BAD_URL: { code: 'BAD_REQUEST', detail: 'The path is not properly percent-encoded.' },
  FST_ERR_MAX_URL_LENGTH: { code: 'BAD_REQUEST', detail: 'The path is too long.' },
};

/** Any error of a request as one of ours; what is not known becomes a bare INTERNAL. */
export function errorOf(error: unknown): AppError {
  const { code, name, statusCode } = (error ?? {}) as { code?: unknown; name?: unknown; statusCode?: unknown };
  const known = typeof code === 'string' ? frameworkErrors[code] : undefined;
  if (known) return new AppError(known.code, known.detail, { cause: error });
  if (name === 'SyntaxError' && statusCode === 400)
    return new AppError('MALFORMED_JSON', 'The body is not valid JSON.');
  if (typeof code === 'string' && code.startsWith('FST_') && typeof statusCode === 'number' && statusCode < 500) {
    return new AppError('BAD_REQUEST', 'The request is malformed.', { cause: error });
  }
  const ours = toAppError(error);
  return ours.code === 'INTERNAL'
    ? new AppError('INTERNAL', 'Something failed on our side. Quote the request id when you report it.', {
        cause: error,
      })
    : ours;
}

/** The body of an error answer; `type` leads to the code's line on the page at /docs. */
export function problemOf(error: AppError, requestId: string): Problem {
  const errors = error.data?.errors;
  return {
    type: `/docs#${error.code}`,
    title: errorCodes[error.code].title,
    status: error.status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(errors ? { errors } : {}),
  };
}

const defaultRetrySeconds = 5;

const challengeOf = ({ code }: AppError): string => {
  const realm = 'Bearer realm="castellan"';
  if (code === 'TOKEN_EXPIRED') return `${realm}, error="invalid_token", error_description="The token has expired"`;
  if (code === 'TOKEN_REVOKED') return `${realm}, error="invalid_token", error_description="The session has ended"`;
  if (code === 'TOKEN_INVALID') return `${realm}, error="invalid_token", error_description="The token is not valid"`;
  return realm;
};

/** RFC 6750 3.1: which scope would have done. */
const insufficient = ({ data }: AppError): string =>
  `Bearer realm="castellan", error="insufficient_scope"${typeof data?.scope === 'string' ? `, scope="${data.scope}"` : ''}`;

/** Headers that belong to an error: how to authenticate (RFC 6750), when to come back. */
export function headersOf(error: AppError): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': problemMedia, 'cache-control': 'no-store' };
  if (error.status === 401) headers['www-authenticate'] = challengeOf(error);
  if (error.code === 'SCOPE_REQUIRED') headers['www-authenticate'] = insufficient(error);
  if (error.status === 429 || error.status === 503 || error.code === 'IDEMPOTENCY_IN_PROGRESS') {
    headers['retry-after'] = String(error.data?.retry_after_seconds ?? defaultRetrySeconds);
  }
  const allow = error.data?.allow;
  if (error.code === 'METHOD_NOT_ALLOWED' && typeof allow === 'string') headers.allow = allow;
  return headers;
}
