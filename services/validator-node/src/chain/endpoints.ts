import type { PublicClient } from 'viem';
import type { Clock } from '../ports.ts';

/** One RPC of a chain. `name` is for people and metrics: never its URL, which may carry a key. */
export type Endpoint = { name: string; client: PublicClient };

export type EndpointResult = 'ok' | 'unavailable' | 'wrong_chain_id' | 'behind' | 'ahead' | 'stalled';
export type EndpointEvent = {
  type: 'rpc';
  chainId: number;
  rpc: string;
  result: EndpointResult;
  head: bigint | null;
};

/** Why nothing can be told of a chain, or of one strategy, right now. */
export type ReadFault =
  | 'too_few_endpoints'
  | 'block_disagreement'
  | 'value_disagreement'
  | 'block_changed'
  | 'unreadable'
  | 'deadline';

export class ChainReadError extends Error {
  override readonly name = 'ChainReadError';
  readonly fault: ReadFault;
  constructor(fault: ReadFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

export type EndpointsOptions = {
  chainId: number;
  endpoints: readonly Endpoint[];
  /** Endpoints that must say the same before it is believed. */
  agreement: number;
  /** An endpoint that is further behind than this is left out. */
  maxHeadLagBlocks: bigint;
  /** A head that did not move for so long is not the head any more. */
  maxHeadStallMs: number;
  clock: Clock;
  emit: (event: EndpointEvent) => void;
};

export type Head = { endpoint: Endpoint; number: bigint };

/** The answer that at least `needed` endpoints give alike; undefined without one, or with two of them. */
export function agreedOn<T>(answers: readonly { key: string; value: T }[], needed: number): T | undefined {
  const groups = new Map<string, T[]>();
  for (const { key, value } of answers) groups.set(key, [...(groups.get(key) ?? []), value]);
  const enough = [...groups.values()].filter((group) => group.length >= needed);
  return enough.length === 1 ? enough[0]?.[0] : undefined;
}

/**
 * The highest head that enough endpoints are near to: one alone that shouts a high number puts no other behind. Without one,
 * the highest of all, which leaves too few.
 */
function headOfMost(heads: readonly Head[], agreement: number, maxLag: bigint): bigint {
  const numbers = heads.map(({ number }) => number).sort((a, b) => (a > b ? -1 : a < b ? 1 : 0));
  const found = numbers.find((number, index) => {
    const last = numbers[index + agreement - 1];
    return last !== undefined && number - last <= maxLag;
  });
  return found ?? numbers[0] ?? 0n;
}

/** The RPCs of one chain, and which of them can be used now. */
export class Endpoints {
  readonly agreement: number;
  readonly #options: EndpointsOptions;
  readonly #moved = new Map<string, { number: bigint; at: number }>();

  constructor(options: EndpointsOptions) {
    if (options.agreement < 1 || options.agreement > options.endpoints.length) {
      throw new RangeError(`${options.agreement} of ${options.endpoints.length} endpoints cannot agree.`);
    }
    this.#options = options;
    this.agreement = options.agreement;
  }

  /**
   * Endpoints that serve this chain and are near its head.
   * @throws ChainReadError when fewer are left than must agree.
   */
  async usable(): Promise<Head[]> {
    const { endpoints, agreement, maxHeadLagBlocks, chainId } = this.#options;
    const heads = (await Promise.all(endpoints.map((endpoint) => this.#headOf(endpoint)))).flat();
    const top = headOfMost(heads, agreement, maxHeadLagBlocks);
    const near = heads.filter(({ endpoint, number }) => {
      const result = number > top ? 'ahead' : number + maxHeadLagBlocks < top ? 'behind' : 'ok';
      this.#tell(endpoint, result, number);
      return result === 'ok';
    });
    if (near.length >= agreement) return near;
    throw new ChainReadError(
      'too_few_endpoints',
      `${near.length} of ${endpoints.length} RPC endpoints of chain ${chainId} can be used, and ${agreement} must agree.`,
    );
  }

  async #headOf(endpoint: Endpoint): Promise<Head[]> {
    const { chainId, maxHeadStallMs, clock } = this.#options;
    try {
      const [found, number] = await Promise.all([endpoint.client.getChainId(), endpoint.client.getBlockNumber()]);
      if (found !== chainId) return this.#drop(endpoint, 'wrong_chain_id', number);
      const last = this.#moved.get(endpoint.name);
      if (last?.number !== number) this.#moved.set(endpoint.name, { number, at: clock.now() });
      else if (clock.now() - last.at > maxHeadStallMs) return this.#drop(endpoint, 'stalled', number);
      return [{ endpoint, number }];
    } catch {
      // Whatever it is, this endpoint has no answer now; the event tells, and the others are asked.
      return this.#drop(endpoint, 'unavailable', null);
    }
  }

  #drop(endpoint: Endpoint, result: EndpointResult, head: bigint | null): Head[] {
    this.#tell(endpoint, result, head);
    return [];
  }

  #tell({ name }: Endpoint, result: EndpointResult, head: bigint | null): void {
    this.#options.emit({ type: 'rpc', chainId: this.#options.chainId, rpc: name, result, head });
  }
}
