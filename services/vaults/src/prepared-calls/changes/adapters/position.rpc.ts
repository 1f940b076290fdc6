import { erc20Abi, superVaultAbi, superVaultStrategyAbi, type VaultState } from '@castellan/chain';
import type { Address, PublicClient } from 'viem';
import { readRedemption } from '../../../vault/adapters/redemption.rpc.ts';
import type { ChangeTarget, Position } from '../domain/change.ts';

/** What a wallet has in a vault and could put in, at the block of the state. */
export async function readPosition(
  client: PublicClient,
  { asset, blockNumber }: Pick<VaultState, 'asset' | 'blockNumber'>,
  { vault, strategy }: ChangeTarget,
  wallet: Address,
): Promise<Position> {
  const token = { address: asset.address, abi: erc20Abi, blockNumber } as const;
  const [assets, allowance, shares, claimableAssets, claimableShares, request] = await Promise.all([
    client.readContract({ ...token, functionName: 'balanceOf', args: [wallet] }),
    client.readContract({ ...token, functionName: 'allowance', args: [wallet, vault] }),
    client.readContract({ address: vault, abi: superVaultAbi, blockNumber, functionName: 'balanceOf', args: [wallet] }),
    client.readContract({
      ...{ address: vault, abi: superVaultAbi, blockNumber },
      functionName: 'maxWithdraw',
      args: [wallet],
    }),
    client.readContract({
      ...{ address: strategy, abi: superVaultStrategyAbi, blockNumber },
      functionName: 'claimableCancelRedeemRequest',
      args: [wallet],
    }),
    readRedemption(client, strategy, wallet, blockNumber),
  ]);
  return { assets, allowance, shares, request, claimableAssets, claimableShares };
}
