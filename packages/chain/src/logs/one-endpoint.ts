import { AppError } from '@castellan/contracts';
import type { PublicClient } from 'viem';
import { endpointsOf } from '../client.ts';
import { isRpcUnavailable } from '../rpc/unavailable.ts';

/** One endpoint of a chain for everything that has to fit together, and another for a second opinion. */
export type Pinned = { client: PublicClient; witness: PublicClient | null };

/**
 * Does something with one endpoint alone, and all of it again with the next when that one cannot: what different endpoints
 * answer is not of one block.
 * @throws what the last endpoint threw; other errors than RPC_UNAVAILABLE at once.
 */
export async function onOneEndpoint<T>(client: PublicClient, run: (pinned: Pinned) => Promise<T>): Promise<T> {
  const endpoints = endpointsOf(client);
  let last: unknown = new AppError('RPC_UNAVAILABLE', 'No endpoint serves this chain. Check its RPC URLs.');
  for (const [index, endpoint] of endpoints.entries()) {
    const other = endpoints[(index + 1) % endpoints.length];
    try {
      return await run({ client: endpoint, witness: other === undefined || other === endpoint ? null : other });
    } catch (error) {
      if (!isRpcUnavailable(error)) throw error;
      last = error;
    }
  }
  throw last;
}
