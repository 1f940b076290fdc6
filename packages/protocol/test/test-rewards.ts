import { hookLeaf, hookTree } from '@castellan/chain';
import { type Address, encodePacked, type Hex, pad } from 'viem';
import { type Contract, one, type Protocol, type TestChain, who } from './test-chain.ts';

/** A reward of the first source: who pays it, the token, the pool where it becomes the asset, and the hooks for both. */
export type Rewards = Record<'token' | 'distributor' | 'pool' | 'claimHook' | 'swapHook', Contract>;

/** Base units of a whole reward. */
export const oneReward = 10n ** 18n;

/** So much a second to all holders of the first source, and a pool that begins at two assets for a reward. */
export async function deployRewards(
  chain: TestChain,
  { governor, asset, sources }: Protocol,
  perSecond = oneReward / 100n,
): Promise<Rewards> {
  const token = await chain.deploy('DevToken', ['Reward', 'RWD', 18]);
  const distributor = await chain.deploy('DevRewardDistributor', [token.address, sources[0].address, perSecond]);
  const pool = await chain.deploy('DevSwapPool', [token.address, asset.address]);
  const [claimHook, swapHook] = [await chain.deploy('DevClaimHook'), await chain.deploy('DevSwapHook')];
  for (const { address } of [claimHook, swapHook]) await chain.send(who.deployer, governor, 'registerHook', [address]);
  await chain.send(who.deployer, token, 'mint', [pool.address, 1_000_000n * oneReward]);
  await chain.send(who.deployer, asset, 'mint', [pool.address, 2_000_000n * one]);
  return { token, distributor, pool, claimHook, swapHook };
}

const reference = pad('0x', { size: 32 });
export const claimData = (distributor: Address, token: Address): Hex =>
  encodePacked(['bytes32', 'address', 'address'], [reference, distributor, token]);
export const swapData = (pool: Address, tokenIn: Address, amount: bigint, tokenOut: Address, usePrev = false): Hex =>
  encodePacked(
    ['bytes32', 'address', 'address', 'uint256', 'bool', 'address'],
    [reference, pool, tokenIn, amount, usePrev, tokenOut],
  );

/** Leaves and tree that let the strategy claim the reward and swap it into the asset. */
export function rewardLeaves({ asset }: Protocol, { token, distributor, pool, claimHook, swapHook }: Rewards) {
  const claimLeaf = hookLeaf(
    claimHook.address,
    encodePacked(['address', 'address'], [distributor.address, token.address]),
  );
  const swapLeaf = hookLeaf(
    swapHook.address,
    encodePacked(['address', 'address', 'address'], [pool.address, token.address, asset.address]),
  );
  return { claimLeaf, swapLeaf, tree: hookTree([claimLeaf, swapLeaf]) };
}
