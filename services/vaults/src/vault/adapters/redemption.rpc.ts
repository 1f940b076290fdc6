import { superVaultStrategyAbi } from '@castellan/chain';
import type { Address, PublicClient } from 'viem';

/** What one wallet asked to redeem, as the strategy has it. `least` and `assets`: what may be paid for the shares, base units of the asset. */
export type Redemption = { controller: Address; shares: bigint; assets: bigint; least: bigint; isCancelled: boolean };

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
