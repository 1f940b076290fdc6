import {
  type DecodedRevert,
  decodeRevert,
  encodeAddSecondaryManager,
  encodeRemoveSecondaryManager,
  superVaultAggregatorAbi,
  unwrapRpcError,
} from '@castellan/chain';
import type { Address, Hex } from 'viem';
import type { ManagerState } from '../domain/manager-change.ts';
import type { KnownChain } from './chain-directory.ts';

export type ManagerRequest = { kind: 'add' | 'remove'; strategy: string; manager: string; caller: string };

export type ManagerCalls = {
  /** Managers at the latest block. @throws AppError RPC_UNAVAILABLE. */
  readManagers(chain: KnownChain, strategy: string): Promise<ManagerState>;
  /** Encodes the call and runs it from the caller's wallet without sending it. `revert` is null when it would succeed. */
  simulate(
    chain: KnownChain,
    request: ManagerRequest,
  ): Promise<{ to: Address; data: Hex; revert: DecodedRevert | null }>;
};

export const rpcManagerCalls = (): ManagerCalls => ({
  async readManagers(chain, strategy) {
    const { aggregator } = await chain.contracts();
    const contract = { address: aggregator, abi: superVaultAggregatorAbi } as const;
    const args = [strategy as Address] as const;
    try {
      const [primary, secondary, max] = await Promise.all([
        chain.client.readContract({ ...contract, functionName: 'getMainManager', args }),
        chain.client.readContract({ ...contract, functionName: 'getSecondaryManagers', args }),
        chain.client.readContract({ ...contract, functionName: 'MAX_SECONDARY_MANAGERS' }),
      ]);
      return {
        primary: primary.toLowerCase(),
        secondary: secondary.map((wallet) => wallet.toLowerCase()),
        maxSecondary: Number(max),
      };
    } catch (error) {
      throw unwrapRpcError(error);
    }
  },
  async simulate(chain, { kind, strategy, manager, caller }) {
    const { aggregator: to } = await chain.contracts();
    const encode = kind === 'add' ? encodeAddSecondaryManager : encodeRemoveSecondaryManager;
    const data = encode(strategy as Address, manager as Address);
    try {
      await chain.client.call({ account: caller as Address, to, data, value: 0n });
      return { to, data, revert: null };
    } catch (error) {
      const revert = decodeRevert(error);
      if (revert === null) throw unwrapRpcError(error);
      return { to, data, revert };
    }
  },
});
