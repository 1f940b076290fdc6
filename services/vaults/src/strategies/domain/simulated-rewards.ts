import { claimedReward, type RewardFacts, swappedReward, worthOf } from './rewards.ts';

type Action = { action: string; target_address: string | null; from_address?: string | null | undefined };

/** What a claim or a swap moved: `assets` come to the vault; null where there are none, as of a claim, or of a pool without a price. */
export type RewardMove = { readonly assets: bigint | null };

const atLeast0 = (value: bigint): bigint => (value < 0n ? 0n : value);
const plus = (text: string | null, more: bigint): string | null => text && `${atLeast0(BigInt(text) + more)}`;
const add = (sums: Map<string, bigint>, key: string, more: bigint) => sums.set(key, (sums.get(key) ?? 0n) + more);

/** Rewards in a simulation: what strategies claimed cannot be claimed again, and what they hold of it is theirs to swap. */
export class SimulatedRewards {
  /** By distributor. */
  readonly #claimed = new Map<string, bigint>();
  /** By token; below 0 where more was swapped than claimed. */
  readonly #held = new Map<string, bigint>();

  /** @returns undefined for what moves no rewards. */
  move(
    config: Action,
    amount: bigint,
    { rewards, keptBps }: { rewards: readonly RewardFacts[] | undefined; keptBps: bigint },
  ): RewardMove | undefined {
    const claimed = config.action === 'CLAIM' ? claimedReward(rewards, config) : undefined;
    if (claimed) {
      add(this.#claimed, claimed.distributor, amount);
      add(this.#held, claimed.token, amount);
    }
    if (config.action === 'CLAIM') return { assets: null };
    if (config.action !== 'SWAP') return undefined;
    const swapped = swappedReward(rewards, config);
    const worth = swapped ? worthOf(swapped, amount) : null;
    if (!swapped || worth === null) return { assets: null };
    add(this.#held, swapped.token, -amount);
    return { assets: (worth * keptBps) / 10_000n };
  }

  /** The rewards of a reading as they would be. */
  changed(rewards: readonly RewardFacts[]): RewardFacts[] {
    return rewards.map((reward) => ({
      ...reward,
      claimable: plus(reward.claimable, -(this.#claimed.get(reward.distributor) ?? 0n)),
      held: plus(reward.held, this.#held.get(reward.token) ?? 0n),
    }));
  }
}
