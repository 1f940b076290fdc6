import { AppError } from '@castellan/contracts';

/** Longest wait a server may ask for before the next try; longer, and the caller gets the error instead. */
const longestWaitMs = 10_000;

const fieldOf = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;

function statusOf(error: unknown): number | null {
  const status = fieldOf(error, 'status') ?? fieldOf(error, 'status_code');
  return typeof status === 'number' ? status : null;
}

/** A fault of this side, or one that the next try would meet again, is not tried again. */
export function isWorthRetrying(error: unknown): boolean {
  if (error instanceof AppError) return false;
  const status = statusOf(error);
  if (status !== null) return status === 408 || status === 429 || status >= 500;
  return !['AbortError', 'TimeoutError', 'APIUserAbortError'].includes(String(fieldOf(error, 'name')));
}

/** A model that took as long as it may is not given the same time again: somebody waits. */
export const tooLate = (): AppError =>
  new AppError('MODEL_UNAVAILABLE', 'The model did not answer in time. Try again in a minute.');

/** Milliseconds the server asks to wait; null when it does not say. */
export function askedWaitMs(error: unknown): number | null {
  const headers = fieldOf(error, 'headers');
  const retryAfter = headers instanceof Headers ? headers.get('retry-after') : fieldOf(headers, 'retry-after');
  const seconds = typeof retryAfter === 'string' && retryAfter.trim() !== '' ? Number(retryAfter) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}

export const isTooLong = (waitMs: number): boolean => waitMs > longestWaitMs;

/**
 * The error for the caller. Nothing of the original goes along: clients put keys, addresses and whole prompts into their errors.
 */
export function unavailable(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const status = statusOf(error);
  const kind = status === null ? String(fieldOf(error, 'name') ?? 'Error') : `status ${status}`;
  const plain = /^[A-Za-z0-9 ]{1,40}$/.test(kind) ? kind : 'Error';
  return new AppError('MODEL_UNAVAILABLE', 'The model cannot be reached or did not answer. Try again in a minute.', {
    cause: new Error(`The model failed: ${plain}.`),
  });
}
