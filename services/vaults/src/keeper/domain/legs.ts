import { type Address, getAddress } from 'viem';
import { claimedReward, type RewardFacts, swappedReward } from '../../strategies/domain/rewards.ts';
import type { StoredDefinition } from '../../strategies/domain/strategy.ts';
import { Refusal } from './refusal.ts';

/** One call of a hook: assets into a yield source, shares of a source back into assets, or rewards claimed, or swapped into assets. */
export type Leg = {
  readonly action: 'DEPOSIT' | 'WITHDRAWAL' | 'CLAIM' | 'SWAP';
  /** What is called: a yield source; of a claim the distributor, of a swap the pool. */
  readonly source: Address;
  /** The hook that the strategy names; null for any of the registry that does this. */
  readonly hook: Address | null;
  /** What a claim pays and a swap gives; the others move the asset. */
  readonly token?: Address;
};

type Config = StoredDefinition['action_config'];

/** Rewards are only claimed and swapped where the chain's configuration names them. @throws Refusal REWARD_UNKNOWN */
function rewardLeg(config: Config, action: 'CLAIM' | 'SWAP', rewards: readonly RewardFacts[] | undefined): Leg {
  const [source, hook] = [config.target_address as Address, config.execution_address as Address | null];
  const reward = action === 'CLAIM' ? claimedReward(rewards, config) : swappedReward(rewards, config);
  if (reward) return { action, source, hook, token: getAddress(reward.token) };
  const what = action === 'CLAIM' ? 'pays no reward of' : 'is no pool for what is given of';
  throw new Refusal('REWARD_UNKNOWN', `${source} ${what} this vault by the configuration of its chain.`);
}

/**
 * What an action is made of, in the order of its one transaction: each leg after the first moves what came out of the leg before it.
 * A rebalance names the hook that deposits; what it takes out goes through any hook of the registry that the root in force allows.
 * @param rewards - Those of the vault at the block that decided.
 * @throws Refusal ACTION_UNSUPPORTED, REWARD_UNKNOWN
 */
export function legsOf(config: Config, rewards: readonly RewardFacts[] | undefined): readonly [Leg, ...Leg[]] {
  const { action } = config;
  const [target, hook] = [config.target_address as Address, config.execution_address as Address | null];
  if (action === 'DEPOSIT' || action === 'WITHDRAWAL') return [{ action, source: target, hook }];
  if (action === 'CLAIM' || action === 'SWAP') return [rewardLeg(config, action, rewards)];
  if (action !== 'REBALANCE') throw new Refusal('ACTION_UNSUPPORTED', `The keeper does not carry out ${action}.`);
  const from = config.from_address as Address | null;
  if (from === null || from.toLowerCase() === target.toLowerCase())
    throw new Refusal('ACTION_UNSUPPORTED', 'A rebalance takes from one source and gives to another.');
  return [
    { action: 'WITHDRAWAL', source: from, hook: null },
    { action: 'DEPOSIT', source: target, hook },
  ];
}
