import { AppError } from '@castellan/contracts';
import { HttpRequestError, type RpcRequestError, shouldThrow } from 'viem';
import type { RpcEndpoint } from './endpoint.ts';
import type { Refusal } from './refusals.ts';
import { refusalIn } from './unavailable.ts';

/** How long and how often the endpoints are tried before a request fails. */
export type FailoverOptions = {
  /** Rounds over all endpoints after the first. Waiting for an endpoint that limits us is not counted, up to `maxWaitMs`. */
  retries: number;
  /** For how long one request waits for endpoints that limit us. */
  maxWaitMs: number;
  now: () => number;
  sleep: (ms: number) => Promise<void>;
  /** Lower is asked first, null never. */
  rankOf: (name: string) => number | null;
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

/** Endpoints in the order in which they are asked: the healthiest first, of these the one that takes a call soonest. */
export function inOrder(
  endpoints: readonly RpcEndpoint[],
  { rankOf }: Pick<FailoverOptions, 'rankOf'>,
): readonly RpcEndpoint[] {
  const ranked = endpoints.flatMap((endpoint) => {
    const rank = rankOf(endpoint.name);
    return rank === null ? [] : { endpoint, rank, wait: endpoint.waitMs() };
  });
  // Stable: of those that are alike, the first of the configuration is the first asked.
  return ranked.sort((a, b) => a.rank - b.rank || a.wait - b.wait).map(({ endpoint }) => endpoint);
}

/**
 * A request over several endpoints: the first that answers wins, those that limit us are asked last, and only failures that
 * may pass are repeated.
 * @throws what the last endpoint threw.
 */
export async function requestOver(
  endpoints: readonly RpcEndpoint[],
  { method, params }: { method: string; params?: unknown },
  options: FailoverOptions,
): Promise<unknown> {
  const { retries, maxWaitMs, now, sleep } = options;
  const started = now();
  let round = 0;
  for (;;) {
    let last: unknown = null;
    let lastRefusal: Refusal | null = null;
    for (const endpoint of inOrder(endpoints, options)) {
      try {
        return await endpoint.request(method, params);
      } catch (error) {
        last = error;
        lastRefusal = refusalIn(error, method);
        if (isFinal(error as Error, lastRefusal)) throw error;
      }
    }
    // Made only now: its stack is not free, and most requests are answered.
    last ??= new AppError('RPC_UNAVAILABLE', 'No endpoint serves this chain. Check its RPC URLs.');
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
