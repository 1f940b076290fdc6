import { superVaultStrategyAbi } from '@castellan/chain';
import type { Address, PublicClient } from 'viem';
import type { Redemption } from '../domain/redemption.ts';

/** What a wallet waits for, at a block or the latest. */
export async function readRedemption(
  client: PublicClient,
  strategy: Address,
  controller: Address,
  blockNumber?: bigint,
): Promise<Redemption> {
  const at = { address: strategy, abi: superVaultStrategyAbi, args: [controller], blockNumber } as const;
  const [[shares, assets, least], isCancelled] = await Promise.all([
    client.readContract({ ...at, functionName: 'previewExactRedeem' }),
    client.readContract({ ...at, functionName: 'pendingCancelRedeemRequest' }),
  ]);
  return { controller, shares, assets, least, isCancelled };
}
