import { type Address, getAddress, type PublicClient } from 'viem';
import { aggregatorV3Abi, feedProxyAbi } from '../abi/aggregator-v3.ts';
import { unwrapRpcError } from '../client.ts';
import { orNull } from '../state/reads.ts';
import type { BenchmarkFeed, ChainConfig } from './chain-config.ts';

/**
 * A feed: which asset it is about, and which contract emits its answers. EIP-55. It answers with the asset's price in USD, or with
 * the benchmark of its vaults where `benchmark` says so.
 */
export type PriceFeed = {
  asset: Address;
  feed: Address;
  emitter: Address;
  decimals: number;
  benchmark?: Omit<BenchmarkFeed, 'feed'>;
};

type Listed = { asset: string; feed: Address; benchmark?: Omit<BenchmarkFeed, 'feed'> };

const listed = ({ priceFeeds, benchmarks = {} }: Pick<ChainConfig, 'priceFeeds' | 'benchmarks'>): Listed[] => [
  ...Object.entries(priceFeeds).map(([asset, feed]) => ({ asset, feed })),
  ...Object.entries(benchmarks).map(([asset, { feed, ...benchmark }]) => ({ asset, feed, benchmark })),
];

/**
 * The chain's feeds, of prices and of benchmarks, with what never changes of them. Behind a Chainlink proxy the emitter is its present aggregator.
 * A feed that does not answer is left out.
 * @throws AppError RPC_UNAVAILABLE when no node answers.
 */
export async function resolvePriceFeeds(
  client: PublicClient,
  config: Pick<ChainConfig, 'priceFeeds' | 'benchmarks'>,
): Promise<PriceFeed[]> {
  const resolve = async ({ asset, feed, ...rest }: Listed): Promise<PriceFeed | null> => {
    const contract = { address: feed, abi: aggregatorV3Abi } as const;
    const [decimals, emitter] = await Promise.all([
      orNull(client.readContract({ ...contract, functionName: 'decimals' })),
      orNull(client.readContract({ address: feed, abi: feedProxyAbi, functionName: 'aggregator' })),
    ]);
    if (decimals === null) return null;
    return {
      asset: getAddress(asset),
      feed: getAddress(feed),
      emitter: getAddress(emitter ?? feed),
      decimals,
      ...rest,
    };
  };
  try {
    const feeds = await Promise.all(listed(config).map(resolve));
    return feeds.filter((feed) => feed !== null);
  } catch (error) {
    throw unwrapRpcError(error);
  }
}

/**
 * What an answer of a feed means, as the canonical log has it: `asset_addresses` whose price it is, `decimals` of its answer, the feed
 * (its proxy, if it has one), and the benchmarks it is.
 * @returns undefined when none of the feeds emits there.
 */
export function feedArgs(feeds: readonly PriceFeed[], emitter: string) {
  const found = feeds.filter((feed) => feed.emitter.toLowerCase() === emitter.toLowerCase());
  const [first] = found;
  if (!first) return undefined;
  const { decimals, feed } = first;
  const asset_addresses = found.flatMap(({ asset, benchmark }) => (benchmark ? [] : [asset]));
  const benchmarks = found.flatMap(({ asset, benchmark }) =>
    benchmark ? [{ asset_address: asset, ...benchmark }] : [],
  );
  // Entries of prices alone are as they were before there were benchmarks.
  return { asset_addresses, decimals, feed, ...(benchmarks.length === 0 ? {} : { benchmarks }) };
}
