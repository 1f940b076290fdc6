import { setTimeout as sleep } from 'node:timers/promises';
import { askedWaitMs, isTooLong, isWorthRetrying } from './faults.ts';

export type RetryOptions = {
  /** Tries after the first. */
  retries: number;
  /** Wait before the first of them; doubled for each further one. */
  baseMs: number;
  /** 0 to 1. */
  random: () => number;
};

/**
 * Tries again what may succeed later. LangChain's own retries wait neither as long as `Retry-After` says nor end once the signal
 * is aborted, so they are off.
 * @param mayRepeat - False once part of an answer was sent: it cannot be taken back.
 */
export async function withRetries<T>(
  { retries, baseMs, random }: RetryOptions,
  signal: AbortSignal,
  once: () => Promise<T>,
  mayRepeat: () => boolean = () => true,
): Promise<T> {
  for (let tried = 0; ; tried += 1) {
    try {
      return await once();
    } catch (error) {
      if (tried >= retries || signal.aborted || !mayRepeat() || !isWorthRetrying(error)) throw error;
      // Half of the wait is random: clients that failed together do not come back together.
      const backOff = baseMs * 2 ** tried * (0.5 + random() / 2);
      const waitMs = Math.max(backOff, askedWaitMs(error) ?? 0);
      if (isTooLong(waitMs)) throw error;
      await sleep(waitMs, undefined, { signal });
    }
  }
}
