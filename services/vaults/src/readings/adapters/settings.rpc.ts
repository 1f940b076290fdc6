import { type BlockHeader, unwrapRpcError, type VaultState } from '@castellan/chain';
import { sharedRead } from '@castellan/service-kit';
import type { Address } from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';
import { readWallet } from '../../prepared-calls/changes/adapters/state.rpc.ts';
import type { ChangeState, ChangeTarget } from '../../prepared-calls/changes/domain/change.ts';

export type SettingsChain = {
  /** The newest block of a chain; those who ask in one turn of the event loop share a request. @throws AppError RPC_UNAVAILABLE. */
  newestBlock(chain: KnownChain): Promise<BlockHeader>;
  /** What a wallet has of the upkeep token at the block of a state. @throws AppError RPC_UNAVAILABLE. */
  wallet(chain: KnownChain, target: ChangeTarget, state: VaultState, wallet: Address): Promise<ChangeState['wallet']>;
};

async function readNewest({ client }: KnownChain): Promise<BlockHeader> {
  try {
    const { number, hash, parentHash, timestamp } = await client.getBlock({ blockTag: 'latest' });
    return { number, hash, parentHash, timestamp };
  } catch (error) {
    throw unwrapRpcError(error);
  }
}

export function rpcSettingsChain(): SettingsChain {
  const newest = new WeakMap<KnownChain, () => Promise<BlockHeader>>();
  return {
    newestBlock(chain) {
      const shared = newest.get(chain) ?? sharedRead(() => readNewest(chain));
      newest.set(chain, shared);
      return shared();
    },
    async wallet({ client }, target, state, wallet) {
      try {
        return await readWallet(client, state, target, wallet);
      } catch (error) {
        throw unwrapRpcError(error);
      }
    },
  };
}
