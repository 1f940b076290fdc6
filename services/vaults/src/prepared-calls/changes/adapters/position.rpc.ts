import { decodeRevert, erc20Abi, superVaultAbi, superVaultStrategyAbi, type VaultState } from '@castellan/chain';
import { type Address, encodeFunctionData, type PublicClient } from 'viem';
import { readRedemption } from '../../../vault/adapters/redemption.rpc.ts';
import type { ChangeTarget, Position } from '../domain/change.ts';

type AtBlock = Pick<VaultState, 'asset' | 'blockNumber'>;

/** Whether an approval of the wallet would revert. */
async function refusesApproval(
  client: PublicClient,
  { asset, blockNumber }: AtBlock,
  wallet: Address,
  args: readonly [spender: Address, amount: bigint],
): Promise<boolean> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args });
  try {
    await client.call({ account: wallet, to: asset.address, data, blockNumber });
    return false;
  } catch (error) {
    if (decodeRevert(error) === null) throw error;
    return true;
  }
}

/** What a wallet has in a vault and could put in, at the block of the state. `wanted` is what it is about to put in, 0 for nothing. */
export async function readPosition(
  client: PublicClient,
  at: AtBlock,
  { vault, strategy }: ChangeTarget,
  wallet: Address,
  wanted: bigint,
): Promise<Position> {
  const { asset, blockNumber } = at;
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
  const isRaised = 0n < allowance && allowance < wanted;
  const needsReset = isRaised && (await refusesApproval(client, at, wallet, [vault, wanted]));
  return { assets, allowance, needsReset, shares, request, claimableAssets, claimableShares };
}
