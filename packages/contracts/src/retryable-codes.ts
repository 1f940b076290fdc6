/**
 * Codes of requests that can succeed later as they are. Apart from all that is said of every code (`errorCodes`), which a page that
 * only asks again need not carry.
 */
export const retryableCodes = [
  'JOB_RUNNING',
  'IDEMPOTENCY_IN_PROGRESS',
  'MONTH_NOT_FINAL',
  'RATE_LIMITED',
  'AI_BUDGET_SPENT',
  'MODEL_UNAVAILABLE',
  'SERVICE_UNAVAILABLE',
  'RPC_UNAVAILABLE',
  'NOT_READY',
] as const;
