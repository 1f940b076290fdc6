import { unwrapRpcError } from '@castellan/chain';
import { getAddress, type Hash } from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';
import type { VaultFacts } from '../domain/vault-facts.ts';

export type Pause = VaultFacts['pause'];

/** A node that is behind, or has just followed a reorg, does not know a transaction that it will know. */
const UNKNOWN_FOR_MS = 60_000;

/**
 * Who sent the pausing transaction; null for pauses the chain made by itself, which nobody decided. A sender is asked for once, and one
 * that the node does not know again after a while.
 */
export function pauseActors(now: () => Date) {
  const actors = new Map<string, string>();
  const unknownUntil = new Map<string, number>();
  return async (chain: KnownChain, pause: Pause): Promise<string | null> => {
    if (!pause || pause.reason !== null || pause.tx === '') return null;
    const key = `${chain.config.chainId}:${pause.tx}`;
    const known = actors.get(key);
    if (known !== undefined || now().getTime() < (unknownUntil.get(key) ?? 0)) return known ?? null;
    try {
      const { from } = await chain.client.getTransaction({ hash: pause.tx as Hash });
      const actor = getAddress(from);
      actors.set(key, actor);
      unknownUntil.delete(key);
      return actor;
    } catch (error) {
      if ((error as Error).name !== 'TransactionNotFoundError') throw unwrapRpcError(error);
      unknownUntil.set(key, now().getTime() + UNKNOWN_FOR_MS);
      return null;
    }
  };
}
