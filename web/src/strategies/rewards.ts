import type { Vault } from '../data/queries.ts';
import { sameAddress, shortHex } from '../format/address.ts';
import { type Fields, nameAt, sourcesText } from './types.ts';

/** A reward of one of the vault's sources: who pays it, its token, and the pool where that becomes the asset. */
export type Reward = NonNullable<Fields['rewards']>[number];
type Named = Pick<Vault, 'allocation' | 'asset'>;
type Doing = { action: string; target: string; from: string | null | undefined };

/** Whether an action is about rewards, not about a yield source. */
export const isOfRewards = (action: string): boolean => action === 'CLAIM' || action === 'SWAP';

const symbolOf = ({ symbol, token }: Pick<Reward, 'symbol' | 'token'>): string => symbol ?? shortHex(token);

/** A reward by its token and the source that pays it: PRIME of Morpho Prime. */
export const rewardName = (vault: Named, reward: Reward): string =>
  `${symbolOf(reward)} of ${nameAt(vault, reward.source_address)}`;

/** The reward that a claim or a swap names; undefined where it is none that the operator named. */
export const rewardOf = (rewards: readonly Reward[], { action, target, from }: Doing): Reward | undefined =>
  rewards.find(({ distributor, token, pool }) =>
    action === 'CLAIM'
      ? sameAddress(distributor, target)
      : pool !== null && sameAddress(pool, target) && sameAddress(token, from ?? ''),
  );

/** What an action is about: its source, from which source into which, what is claimed, or what is swapped into what. */
export function targetText(vault: Named, doing: Doing, rewards: readonly Reward[]): string {
  const { action, target, from } = doing;
  if (!isOfRewards(action)) return sourcesText(vault, { from: action === 'REBALANCE' ? from : null, target });
  const reward = rewardOf(rewards, doing);
  if (action === 'CLAIM') return reward ? rewardName(vault, reward) : `Rewards from ${shortHex(target)}`;
  return `${reward ? symbolOf(reward) : shortHex(from ?? '')} → ${vault.asset.symbol}`;
}
