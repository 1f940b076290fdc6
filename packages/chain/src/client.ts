import { AppError, errorCodeOf } from '@castellan/contracts';
import { createPublicClient, createTransport, defineChain, type PublicClient, type Transport } from 'viem';
import type { ChainConfig } from './registry/chain-config.ts';
import { RpcEndpoint, type RpcRefusal } from './rpc/endpoint.ts';
import { EndpointWatch } from './rpc/endpoint-watch.ts';
import { type EndpointHealth, Endpoints } from './rpc/endpoints.ts';
import type { Fetch } from './rpc/exchange.ts';
import { type FailoverOptions, inOrder, requestOver } from './rpc/failover.ts';
import { GatheredCalls } from './rpc/gathered-calls.ts';
import { causesOf, isRpcUnavailable } from './rpc/unavailable.ts';

export type { RpcRefusal } from './rpc/endpoint.ts';
export type { Fetch } from './rpc/exchange.ts';
export { isRpcUnavailable, isStatePruned } from './rpc/unavailable.ts';

/** One JSON-RPC request as metrics and traces see it; `ms` includes retries. `ok` is true for a revert: the node answered. */
export type RpcObservation = { chainId: number; method: string; ms: number; ok: boolean };

/** How the endpoints of a client are probed, and when one is asked after the others. */
export type EndpointWatching = {
  /** Called with each finding. */
  onHealth: (chainId: number, health: EndpointHealth) => void;
  /** How often the endpoints are probed; default: each block, at most every 2 s. */
  intervalMs?: number;
  /** An endpoint that is further behind the others is asked after them; default 5. */
  maxHeadLagBlocks?: bigint;
  /** So is one whose head stands still for longer; default 60 s, or ten blocks. */
  maxHeadStallMs?: number;
};

/** Times, retries and observers of a client; what is absent has its default. */
export type ChainClientOptions = {
  fetch?: Fetch;
  onRequest?: (observation: RpcObservation) => void;
  /** Per attempt and per URL; default 10 000. */
  timeoutMs?: number;
  /** Rounds over all URLs after the first; default 2. Only failures that may pass are repeated. */
  retries?: number;
  /** Called when a provider refuses for a limit of its own, or does not have a block. */
  onRefusal?: (refusal: RpcRefusal) => void;
  /** Probes the endpoints while there are requests, and asks the healthiest first. Without it, in the order of the configuration. */
  watch?: EndpointWatching;
  /**
   * Requests made in one tick travel in one HTTP call of at most this many; 0 sends each alone. Default 100; an endpoint that
   * refuses so many is sent fewer.
   */
  batchSize?: number;
  /**
   * Plain reads of one tick and one block travel in one `eth_call` of Multicall3 where the chain has it; see {@link GatheredCalls}.
   * Contracts see Multicall3 as the caller instead of nobody.
   */
  gatherReads?: boolean;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
  /** Waits between retries, and for a provider that limits us; at most `timeoutMs` for one request. */
  sleep?: (ms: number) => Promise<void>;
};

/**
 * The AppError RPC_UNAVAILABLE inside what a viem action threw (actions wrap it), else `error` itself.
 * Use it in a `catch` around viem actions, so that the code survives: `throw unwrapRpcError(error)`.
 */
export const unwrapRpcError = (error: unknown): unknown =>
  causesOf(error).find((cause) => errorCodeOf(cause) === 'RPC_UNAVAILABLE') ?? error;

/** Errors name the URL of a request, and a URL may carry a provider key: they only ever see this label. */
const labelOf = (chainId: number, client: number, index: number): string =>
  `http://rpc-${index}.client-${client}.chain-${chainId}.invalid`;
let clients = 0;

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

/** What is observed are the requests that are made, not the reads in them. */
const gathered =
  (inner: Transport, config: ChainConfig, now: () => number): Transport =>
  (parameters) => {
    const transport = inner(parameters);
    const calls = new GatheredCalls({
      request: (body) => transport.request(body as never),
      label: `http://chain-${config.chainId}.invalid`,
      now,
    });
    const request = (body: Parameters<typeof transport.request>[0]) => calls.request(body);
    return { ...transport, request: request as typeof transport.request };
  };

const sleepFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type OwnEndpoints = { endpoints?: () => readonly PublicClient[] };
type RpcTransport = Transport<'rpc', OwnEndpoints>;

/** Requests over some endpoints; viem gives their errors its own classes. */
const transportOver =
  (endpoints: readonly RpcEndpoint[], options: FailoverOptions, value: OwnEndpoints, before?: () => void) =>
  (): ReturnType<RpcTransport> =>
    createTransport(
      {
        key: 'rpc',
        name: 'RPC endpoints',
        type: 'rpc',
        request: ((call: { method: string; params?: unknown }) => {
          before?.();
          return requestOver(endpoints, call, options);
        }) as never,
        // What fails is repeated here, on an injected clock.
        retryCount: 0,
      },
      value,
    );

/**
 * The endpoints of a client that {@link chainClient} made, each as a client of its own that shares the URL's budget and
 * batches, the one to ask first before the others; of any other client, the client itself.
 */
export const endpointsOf = (client: PublicClient): readonly PublicClient[] =>
  (client.transport as OwnEndpoints).endpoints?.() ?? [client];

/** Health is judged by the others' heads: with three or more, one alone does not put them all behind. */
function watchOf(
  { chainId, blockTimeSeconds }: ChainConfig,
  { onHealth, intervalMs, maxHeadLagBlocks = 5n, maxHeadStallMs }: EndpointWatching,
  clients: readonly { name: string; client: PublicClient }[],
  now: () => number,
): EndpointWatch {
  const blockMs = blockTimeSeconds * 1_000;
  return new EndpointWatch({
    endpoints: new Endpoints({
      chainId,
      endpoints: clients,
      agreement: clients.length > 2 ? 2 : 1,
      maxHeadLagBlocks,
      now,
      maxHeadStallMs: maxHeadStallMs ?? Math.max(60_000, blockMs * 10),
    }),
    intervalMs: intervalMs ?? Math.max(2_000, blockMs),
    now,
    onHealth: (health) => onHealth(chainId, health),
  });
}

/**
 * A viem public client over all RPC URLs of a chain: the first that answers wins, requests of one tick are batched, and
 * only failures that may pass are retried. Each URL is asked for as much as it takes: what it limits (calls a second, calls in
 * a batch) is learned from its refusals, and its `Retry-After` is waited for.
 * Requests throw AppError RPC_UNAVAILABLE when no node answers; reverts and other node errors stay viem's. viem actions
 * wrap what a request throws: see {@link unwrapRpcError}. No error holds an RPC URL.
 */
export function chainClient(config: ChainConfig, options: ChainClientOptions = {}): PublicClient {
  const { timeoutMs = 10_000, retries = 2, batchSize = 100, sleep = sleepFor } = options;
  const now = options.now ?? (() => performance.now());
  clients += 1;
  const labels = config.rpcUrls.map((_url, index) => labelOf(config.chainId, clients, index));
  const realFetch: Fetch = options.fetch ?? ((input, init) => fetch(input, init));
  let watch: EndpointWatch | undefined;
  const rankOf = (name: string) => (watch === undefined ? 0 : watch.rankOf(name));
  const failover = { maxWaitMs: timeoutMs, now, sleep, rankOf };
  const endpoints = config.rpcUrls.map((url, index) => {
    const name = `rpc-${index}`;
    const label = labels[index] ?? name;
    const onRefusal = (kind: RpcRefusal['kind']) =>
      options.onRefusal?.({ chainId: config.chainId, endpoint: name, kind });
    return new RpcEndpoint({
      name,
      url,
      label,
      fetch: realFetch,
      timeoutMs,
      batchSize,
      now,
      sleep,
      onRefusal,
      maxWaitMs: timeoutMs,
    });
  });
  const chain = defineChain({
    id: config.chainId,
    name: config.name,
    nativeCurrency: { name: config.nativeSymbol, symbol: config.nativeSymbol, decimals: 18 },
    rpcUrls: { default: { http: labels } },
    blockTime: config.blockTimeSeconds * 1_000,
  });
  // The indexer must see each new head at once, so block numbers are not cached.
  const clientOf = (inner: Transport) => {
    const each = observed(inner, config, options);
    const transport = options.gatherReads ? gathered(each, config, now) : each;
    // No EIP-3668: contracts that anybody wrote would have this server fetch addresses of their choice.
    return createPublicClient({ chain, transport, cacheTime: 0, ccipRead: false }) as PublicClient;
  };
  // A caller that asks one of several goes on to the next by itself, at once.
  const alone = { ...failover, retries: endpoints.length > 1 ? 0 : retries };
  const clientsOfOne = new Map(
    endpoints.map((endpoint) => [endpoint, clientOf(transportOver([endpoint], { ...alone, rankOf: () => 0 }, {}))]),
  );
  if (options.watch) {
    const named = [...clientsOfOne].map(([{ name }, of]) => ({ name, client: of }));
    watch = watchOf(config, options.watch, named, now);
  }
  const ordered = () => {
    const order = inOrder(endpoints, { rankOf });
    // Each of these may be waited for in vain, also when it is only asked for a second opinion.
    const answering = order.filter(({ name }) => watch?.isAway(name) !== true);
    return (answering.length > 0 ? answering : order).flatMap((endpoint) => clientsOfOne.get(endpoint) ?? []);
  };
  return clientOf(
    transportOver(endpoints, { ...failover, retries }, { endpoints: ordered }, () => void watch?.refresh()),
  );
}
