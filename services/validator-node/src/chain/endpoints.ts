import {
  type Endpoint,
  type EndpointResult,
  Endpoints as SharedEndpoints,
  type EndpointsOptions as SharedOptions,
} from '@castellan/chain';
import type { Clock } from '../ports.ts';

export type { Endpoint, EndpointResult } from '@castellan/chain';
export type EndpointEvent = {
  type: 'rpc';
  chainId: number;
  rpc: string;
  result: EndpointResult;
  head: bigint | null;
};

/** Why nothing is known of a chain, or of one strategy, right now. */
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

/** `agreement`: so many must also say the same before it is believed. */
export type EndpointsOptions = Omit<SharedOptions, 'now'> & {
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

/** The RPCs of one chain, as every service knows them, and enough of them to believe what they say alike. */
export class Endpoints {
  readonly #options: EndpointsOptions;
  readonly #shared: SharedEndpoints;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    this.#shared = new SharedEndpoints({ ...options, now: () => options.clock.now() });
  }

  /**
   * Endpoints that serve this chain and are near its head.
   * @throws ChainReadError when fewer are left than must agree.
   */
  async usable(): Promise<Head[]> {
    const { endpoints, agreement, chainId, emit } = this.#options;
    const near: Head[] = [];
    for (const { endpoint, result, head } of await this.#shared.check()) {
      emit({ type: 'rpc', chainId, rpc: endpoint.name, result, head });
      if (result === 'ok' && head !== null) near.push({ endpoint, number: head });
    }
    if (near.length >= agreement) return near;
    throw new ChainReadError(
      'too_few_endpoints',
      `${near.length} of ${endpoints.length} RPC endpoints of chain ${chainId} can be used, and ${agreement} must agree.`,
    );
  }
}
