import { HttpRequestError, type RpcRequestError, shouldThrow } from 'viem';
import type { RpcEndpoint } from './endpoint.ts';
import type { Refusal } from './refusals.ts';
import { refusalIn } from './unavailable.ts';

export type FailoverOptions = {
  /** Rounds over all endpoints after the first. Waiting for an endpoint that limits us is not counted, up to `maxWaitMs`. */
  retries: number;
  /** For how long one request waits for endpoints that limit us. */
  maxWaitMs: number;
  now: () => number;
  sleep: (ms: number) => Promise<void>;
};

const RETRY_DELAY_MS = 200;
const INTERNAL = -32_603;
const UNKNOWN = -1;
const passingStatus = (status: number): boolean =>
  [403, 408, 413, 429].includes(status) || status >= 500 || status < 300;

/** Whether the same request may succeed a little later. */
function mayPass(error: unknown, refusal: Refusal | null): boolean {
  if (refusal) return refusal.kind !== 'range_too_large';
  if (error instanceof HttpRequestError) return error.status === undefined || passingStatus(error.status);
  const { code } = error as Partial<RpcRequestError>;
  return code === undefined || code === INTERNAL || code === UNKNOWN;
}

/** Whether other endpoints would say the same: the contract's answer, and a range that is too large. */
function isFinal(error: Error, refusal: Refusal | null): boolean {
  return refusal ? refusal.kind === 'range_too_large' : shouldThrow(error);
}

const isLimited = (error: unknown, refusal: Refusal | null): boolean =>
  refusal?.kind === 'rate_limited' || (error instanceof HttpRequestError && error.status === 429);

/**
 * A request over several endpoints: the first that answers wins, those that limit us are asked last, and only failures that
 * may pass are repeated.
 * @throws what the last endpoint threw.
 */
export async function requestOver(
  endpoints: readonly RpcEndpoint[],
  { method, params }: { method: string; params?: unknown },
  { retries, maxWaitMs, now, sleep }: FailoverOptions,
): Promise<unknown> {
  const started = now();
  let round = 0;
  for (;;) {
    const waits = new Map(endpoints.map((endpoint) => [endpoint, endpoint.waitMs()]));
    // Stable: of those that wait equally long, the first of the configuration is the first asked.
    const order = [...endpoints].sort((a, b) => (waits.get(a) ?? 0) - (waits.get(b) ?? 0));
    let last: unknown;
    let lastRefusal: Refusal | null = null;
    for (const endpoint of order) {
      try {
        return await endpoint.request(method, params);
      } catch (error) {
        last = error;
        lastRefusal = refusalIn(error, method);
        if (isFinal(error as Error, lastRefusal)) throw error;
      }
    }
    if (retries === 0 || !mayPass(last, lastRefusal)) throw last;
    const shortest = Math.min(...endpoints.map((endpoint) => endpoint.waitMs()));
    const mayWait = isLimited(last, lastRefusal) && now() - started + shortest <= maxWaitMs;
    if (!mayWait) {
      if (round >= retries) throw last;
      await sleep(RETRY_DELAY_MS * 2 ** round);
      round += 1;
    }
  }
}
