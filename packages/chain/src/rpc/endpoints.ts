import type { PublicClient } from 'viem';

/** One RPC of a chain. `name` is for people and metrics: never its URL, which may carry a key. */
export type Endpoint = { name: string; client: PublicClient };

/**
 * What a probe found: `behind` and `ahead` compare heads in blocks, `stalled` is a head that has not moved for too
 * long.
 */
export type EndpointResult = 'ok' | 'unavailable' | 'wrong_chain_id' | 'behind' | 'ahead' | 'stalled';

/** What a check found of one endpoint. `head` is null when it did not say; so are what follows from it. */
export type EndpointHealth = {
  endpoint: Endpoint;
  result: EndpointResult;
  head: bigint | null;
  /** Blocks below the head that enough endpoints are near to. */
  lagBlocks: bigint | null;
  /** For how long the head has been the same. */
  headAgeMs: number | null;
};

/** The endpoints of one chain, and how far their heads may differ. */
export type EndpointsOptions = {
  chainId: number;
  endpoints: readonly Endpoint[];
  /** Endpoints that must be near to a head before the others count as behind it. */
  agreement: number;
  /** An endpoint that is further behind than this is left out. */
  maxHeadLagBlocks: bigint;
  /** A head that did not move for so long is not the head any more. */
  maxHeadStallMs: number;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
};

/**
 * The highest head that enough endpoints are near to: one alone that shouts a high number puts no other behind. Without one,
 * the highest of all.
 */
function headOfMost(heads: readonly bigint[], agreement: number, maxLag: bigint): bigint {
  const numbers = [...heads].sort((a, b) => (a > b ? -1 : a < b ? 1 : 0));
  const found = numbers.find((number, index) => {
    const last = numbers[index + agreement - 1];
    return last !== undefined && number - last <= maxLag;
  });
  return found ?? numbers[0] ?? 0n;
}

type Found = { endpoint: Endpoint; result: EndpointResult | null; head: bigint | null; headAgeMs: number | null };

/** The RPCs of one chain, and which of them can be used now: they answer, serve the chain, and are at its head. */
export class Endpoints {
  readonly #options: EndpointsOptions;
  readonly #moved = new Map<string, { number: bigint; at: number }>();

  constructor(options: EndpointsOptions) {
    if (options.agreement < 1 || options.agreement > options.endpoints.length) {
      throw new RangeError(`${options.agreement} of ${options.endpoints.length} endpoints cannot agree.`);
    }
    this.#options = options;
  }

  /** Asks all of them. @returns one finding for each, in their order. */
  async check(): Promise<EndpointHealth[]> {
    const { endpoints, agreement, maxHeadLagBlocks } = this.#options;
    const found = await Promise.all(endpoints.map((endpoint) => this.#find(endpoint)));
    const heads = found.flatMap(({ result, head }) => (result === null && head !== null ? [head] : []));
    const top = headOfMost(heads, agreement, maxHeadLagBlocks);
    return found.map(({ endpoint, result, head, headAgeMs }) => {
      const lagBlocks = head === null ? null : head > top ? 0n : top - head;
      const place = head === null || head > top ? 'ahead' : head + maxHeadLagBlocks < top ? 'behind' : 'ok';
      return { endpoint, result: result ?? place, head, lagBlocks, headAgeMs };
    });
  }

  /** `result` is null when it depends on the others' heads. */
  async #find(endpoint: Endpoint): Promise<Found> {
    const { chainId, maxHeadStallMs, now } = this.#options;
    try {
      const [served, head] = await Promise.all([
        endpoint.client.getChainId(),
        endpoint.client.getBlockNumber({ cacheTime: 0 }),
      ]);
      if (served !== chainId) return { endpoint, result: 'wrong_chain_id', head, headAgeMs: null };
      const last = this.#moved.get(endpoint.name);
      const at = last?.number === head ? last.at : now();
      this.#moved.set(endpoint.name, { number: head, at });
      const headAgeMs = now() - at;
      return { endpoint, result: headAgeMs > maxHeadStallMs ? 'stalled' : null, head, headAgeMs };
    } catch {
      // Whatever it is, this endpoint has no answer now; the finding records it, and the others are asked.
      return { endpoint, result: 'unavailable', head: null, headAgeMs: null };
    }
  }
}
