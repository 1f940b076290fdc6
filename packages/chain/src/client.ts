import { AppError, errorCodeOf } from '@castellan/contracts';
import {
  createPublicClient,
  defineChain,
  fallback,
  HttpRequestError,
  http,
  type PublicClient,
  TimeoutError,
  type Transport,
} from 'viem';
import type { ChainConfig } from './registry/chain-config.ts';

/** One JSON-RPC request as metrics and traces see it; `ms` includes retries. `ok` is true for a revert: the node answered. */
export type RpcObservation = { chainId: number; method: string; ms: number; ok: boolean };

/** `fetch` as the client uses it. */
export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

export type ChainClientOptions = {
  fetch?: Fetch;
  onRequest?: (observation: RpcObservation) => void;
  /** Per attempt and per URL; default 10 000. */
  timeoutMs?: number;
  /** Rounds over all URLs after the first; default 2. Only failures that may pass are repeated. */
  retries?: number;
  /** Requests made in one tick travel in one HTTP call of at most this many; 0 sends each alone. Default 100. */
  batchSize?: number;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
};

/** Codes by which providers say "not now": resource unavailable and limit exceeded. */
const unavailableCodes = new Set<unknown>([-32002, -32005]);

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let item = error; item !== undefined && item !== null && causes.length < 10; ) {
    causes.push(item);
    item = typeof item === 'object' ? (item as { cause?: unknown }).cause : undefined;
  }
  return causes;
}

/**
 * Whether the node did not answer, as opposed to answering with an error or a revert.
 * @param error - Anything an RPC request or a viem action threw.
 */
export const isRpcUnavailable = (error: unknown): boolean =>
  causesOf(error).some(
    (cause) =>
      errorCodeOf(cause) === 'RPC_UNAVAILABLE' ||
      cause instanceof HttpRequestError ||
      cause instanceof TimeoutError ||
      unavailableCodes.has((cause as { code?: unknown }).code),
  );

/**
 * The AppError RPC_UNAVAILABLE inside what a viem action threw (actions wrap it), else `error` itself.
 * Use it in a `catch` around viem actions, so that the code survives: `throw unwrapRpcError(error)`.
 */
export const unwrapRpcError = (error: unknown): unknown =>
  causesOf(error).find((cause) => errorCodeOf(cause) === 'RPC_UNAVAILABLE') ?? error;

/**
 * viem writes the URL into its error messages, and a URL may carry a provider key: viem only ever sees this label. It is one
 * for each client, because viem puts requests of one tick and one URL into one batch, whichever client they are of: the
 * requests of two clients with one label would all go to the URL of the first.
 */
const labelOf = (chainId: number, client: number, index: number): string =>
  `http://rpc-${index}.client-${client}.chain-${chainId}.invalid`;
let clients = 0;

function hiddenUrlFetch(url: string, fetch: Fetch): Fetch {
  return async (_label, init) => {
    let response: Response;
    try {
      response = await fetch(url, init);
    } catch (error) {
      if (init?.signal?.aborted) throw error;
      const code = causesOf(error)
        .map((cause) => (cause as { code?: unknown }).code)
        .find((item) => typeof item === 'string');
      // The original names the host, sometimes the whole URL, and is not passed on.
      throw new Error(`The connection failed (${code ?? 'no reason given'})`);
    }
    // Providers quote the key they refuse.
    return response.status === 401 || response.status === 403
      ? new Response(null, { status: response.status })
      : response;
  };
}

function observed(inner: Transport, config: ChainConfig, options: ChainClientOptions): Transport {
  const now = options.now ?? (() => performance.now());
  return (parameters) => {
    const transport = inner(parameters);
    const request = async (...[body, overrides]: Parameters<typeof transport.request>): Promise<unknown> => {
      const started = now();
      const observe = (ok: boolean) =>
        options.onRequest?.({ chainId: config.chainId, method: body.method, ms: now() - started, ok });
      try {
        const result = await transport.request(body, overrides);
        observe(true);
        return result;
      } catch (error) {
        const unavailable = isRpcUnavailable(error);
        observe(!unavailable);
        if (!unavailable) throw error;
        throw new AppError('RPC_UNAVAILABLE', `No node of ${config.name} answered ${body.method}. Try again shortly.`, {
          data: { chain_id: config.chainId, method: body.method },
          cause: error,
        });
      }
    };
    return { ...transport, request: request as typeof transport.request };
  };
}

/**
 * A viem public client over all RPC URLs of a chain: the first that answers wins, requests of one tick are batched, and
 * only failures that may pass are retried.
 * Requests throw AppError RPC_UNAVAILABLE when no node answers; reverts and other node errors stay viem's. viem actions
 * wrap what a request throws: see {@link unwrapRpcError}. No error holds an RPC URL.
 */
export function chainClient(config: ChainConfig, options: ChainClientOptions = {}): PublicClient {
  const { timeoutMs = 10_000, retries = 2, batchSize = 100 } = options;
  clients += 1;
  const client = clients;
  const realFetch: Fetch = options.fetch ?? ((input, init) => fetch(input, init));
  const transports = config.rpcUrls.map((url, index) => {
    const fetchFn = hiddenUrlFetch(url, realFetch);
    return http(labelOf(config.chainId, client, index), {
      timeout: timeoutMs,
      fetchFn: (_input, init) => fetchFn('', init),
      ...(batchSize > 0 ? { batch: { batchSize } } : {}),
    });
  });
  const chain = defineChain({
    id: config.chainId,
    name: config.name,
    nativeCurrency: { name: config.nativeSymbol, symbol: config.nativeSymbol, decimals: 18 },
    rpcUrls: { default: { http: config.rpcUrls.map((_url, index) => labelOf(config.chainId, client, index)) } },
    blockTime: config.blockTimeSeconds * 1_000,
  });
  const transport = observed(fallback(transports, { retryCount: retries, retryDelay: 200 }), config, options);
  // The indexer must see each new head at once, so block numbers are not cached.
  return createPublicClient({ chain, transport, cacheTime: 0 }) as PublicClient;
}
