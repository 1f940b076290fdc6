import { erc20Abi, orNull, type Reward, readToken, rewardDistributorAbi, swapPoolAbi } from '@castellan/chain';
import type { Address } from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';
import type { RewardFacts } from '../domain/rewards.ts';

type At = { strategy: Address; blockNumber: bigint };

async function readReward(
  { client }: KnownChain,
  { source, distributor, token, pool }: Reward,
  { strategy, blockNumber }: At,
): Promise<RewardFacts> {
  const [meta, claimable, held] = await Promise.all([
    orNull(readToken(client, token, blockNumber)),
    orNull(
      client.readContract({
        address: distributor,
        abi: rewardDistributorAbi,
        functionName: 'claimable',
        args: [strategy],
        blockNumber,
      }),
    ),
    orNull(
      client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [strategy], blockNumber }),
    ),
  ]);
  const rate =
    pool && meta
      ? await orNull(
          client.readContract({
            address: pool,
            abi: swapPoolAbi,
            functionName: 'quote',
            args: [token, 10n ** BigInt(meta.decimals)],
            blockNumber,
          }),
        )
      : null;
  return {
    ...unknown({ source, distributor, token, pool }),
    symbol: meta?.symbol ?? null,
    decimals: meta?.decimals ?? null,
    claimable: claimable?.toString() ?? null,
    held: held?.toString() ?? null,
    rate: rate?.toString() ?? null,
  };
}

const unknown = ({ source, distributor, token, pool }: Reward): RewardFacts => ({
  source: source.toLowerCase(),
  distributor: distributor.toLowerCase(),
  token: token.toLowerCase(),
  pool: pool?.toLowerCase() ?? null,
  symbol: null,
  decimals: null,
  claimable: null,
  held: null,
  rate: null,
});

/** The rewards that the chain's configuration names for sources of a vault, at a block; what a contract does not answer is not known. */
export async function readRewards(
  chain: KnownChain,
  sources: readonly { address: Address }[],
  at: At,
): Promise<RewardFacts[]> {
  const own = new Set(sources.map(({ address }) => address.toLowerCase()));
  const rewards = (chain.config.rewards ?? []).filter(({ source }) => own.has(source.toLowerCase()));
  // One whose contract the node gives up on holds up no decision of the vault: a node that is away fails its other reads.
  return Promise.all(rewards.map((reward) => readReward(chain, reward, at).catch(() => unknown(reward))));
}
