import { apiErrorOf } from './api-error.ts';
import { pauseMs } from './clock.ts';
import type { Transport } from './request.ts';

const firstPauseMs = 500;
/** A server that asks for more has a budget that is used up: its caller decides. */
const longestWaitSeconds = 60;

type Attempts = {
  /** Whether doing it twice does it once. */
  isRepeatable: boolean;
  signal: AbortSignal | undefined;
  send: () => Promise<Response>;
};

/**
 * Sends a request until its answer is a success, at most `retries` times more than once. Only what is safe to repeat is repeated,
 * and what the server refused before it did anything (429).
 * @throws ApiError for the last answer; what `fetch` throws when there was none.
 */
export async function sendWithRetries(
  { clock, retries }: Pick<Transport, 'clock' | 'retries'>,
  { isRepeatable, signal, send }: Attempts,
): Promise<Response> {
  for (let failures = 1; ; failures += 1) {
    const isLast = failures > retries;
    const response = await send().catch((error: unknown) => {
      if (isLast || !isRepeatable || signal?.aborted) throw error;
      return undefined;
    });
    if (response?.ok) return response;
    let waitMs = pauseMs(failures, firstPauseMs);
    if (response !== undefined) {
      const error = await apiErrorOf(response);
      const { retry_after_seconds: asked = 0 } = error;
      const mayRepeat = error.retryable && (isRepeatable || error.status === 429);
      if (isLast || !mayRepeat || asked > longestWaitSeconds) throw error;
      waitMs = Math.max(waitMs, asked * 1000);
    }
    await clock.wait(waitMs, signal);
    signal?.throwIfAborted();
  }
}
