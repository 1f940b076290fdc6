import { erc20Abi, superVaultAggregatorAbi, unwrapRpcError } from '@castellan/chain';
import type { Address } from 'viem';
import type { KnownChain } from '../../../chains/chain-directory.ts';

/** What the panic button depends on, and what waits for a vault that stands still, at one block. */
export type PauseFacts = {
  primary: Address;
  secondary: readonly Address[];
  isPaused: boolean;
  /** Shares asked to be redeemed and not fulfilled: the escrow holds them. */
  pendingRedeemShares: bigint;
};

export type PauseFactsReader = {
  /** @throws AppError RPC_UNAVAILABLE. */
  read(
    chain: KnownChain,
    of: { vault: Address; strategy: Address; escrow: Address },
    block: bigint,
  ): Promise<PauseFacts>;
};

export const rpcPauseFacts = (): PauseFactsReader => ({
  async read({ client, contracts }, { vault, strategy, escrow }, blockNumber) {
    try {
      const { aggregator: address } = await contracts();
      const registry = { address, abi: superVaultAggregatorAbi, args: [strategy], blockNumber } as const;
      const [primary, secondary, isPaused, pendingRedeemShares] = await Promise.all([
        client.readContract({ ...registry, functionName: 'getMainManager' }),
        client.readContract({ ...registry, functionName: 'getSecondaryManagers' }),
        client.readContract({ ...registry, functionName: 'isStrategyPaused' }),
        client.readContract({ address: vault, abi: erc20Abi, functionName: 'balanceOf', args: [escrow], blockNumber }),
      ]);
      return { primary, secondary, isPaused, pendingRedeemShares };
    } catch (error) {
      throw unwrapRpcError(error);
    }
  },
});
