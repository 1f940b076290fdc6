/** A reward of one of the vault's sources as a strategy may see it. Addresses in lower case; null for what is not known. */
export type RewardFacts = {
  /** The yield source whose holders it is for. */
  readonly source: string;
  readonly distributor: string;
  /** What it is paid in, and where that becomes the asset. */
  readonly token: string;
  readonly pool: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** What the vault can claim, and what it holds, in base units of the token. */
  readonly claimable: string | null;
  readonly held: string | null;
  /** Asset base units that the pool pays for one whole token. */
  readonly rate: string | null;
};

/** What so much of a reward is worth in assets, by what its pool pays for one whole token; null without a price. */
export const worthOf = ({ rate, decimals }: RewardFacts, amount: bigint): bigint | null =>
  rate === null || decimals === null ? null : (amount * BigInt(rate)) / 10n ** BigInt(decimals);

/** The variables of rewards and of the tokens that they are paid in. */
export function rewardVariables(rewards: readonly RewardFacts[]): Record<string, string | null> {
  const values: Record<string, string | null> = {};
  for (const reward of rewards) {
    const { distributor, token, claimable, held } = reward;
    const worth = held === null ? null : worthOf(reward, BigInt(held));
    values[`merkl_${distributor}_amount`] = claimable;
    values[`merkl_${distributor}_value_usd`] = null;
    values[`token_${token}_amount`] = held;
    // Several sources may pay the same token, and not each entry names a pool for it.
    values[`token_${token}_worth`] = worth === null ? (values[`token_${token}_worth`] ?? null) : `${worth}`;
  }
  return values;
}

/** The reward that a claim takes, by the address that it names. */
export const claimedReward = (
  rewards: readonly RewardFacts[] | undefined,
  { target_address }: { target_address: string | null },
): RewardFacts | undefined => rewards?.find(({ distributor }) => distributor === target_address?.toLowerCase());

/** The reward whose token a swap gives to its pool, by the addresses that it names. */
export const swappedReward = (
  rewards: readonly RewardFacts[] | undefined,
  { target_address, from_address }: { target_address: string | null; from_address?: string | null | undefined },
): RewardFacts | undefined =>
  rewards?.find(
    ({ token, pool }) =>
      pool !== null && token === from_address?.toLowerCase() && pool === target_address?.toLowerCase(),
  );
