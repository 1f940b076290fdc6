import { type Address, getAddress, type PublicClient } from 'viem';
import { aggregatorV3Abi, feedProxyAbi } from '../abi/aggregator-v3.ts';
import { unwrapRpcError } from '../client.ts';
import { orNull } from '../state/reads.ts';
import type { ChainConfig } from './chain-config.ts';

/** A USD feed: which asset it prices, and which contract emits its answers. EIP-55. */
export type PriceFeed = { asset: Address; feed: Address; emitter: Address; decimals: number };

/**
 * The chain's price feeds with what never changes of them. Behind a Chainlink proxy the emitter is its present aggregator.
 * A feed that does not answer is left out.
 * @throws AppError RPC_UNAVAILABLE when no node answers.
 */
export async function resolvePriceFeeds(
  client: PublicClient,
  config: Pick<ChainConfig, 'priceFeeds'>,
): Promise<PriceFeed[]> {
  const resolve = async ([asset, feed]: [string, Address]): Promise<PriceFeed | null> => {
    const contract = { address: feed, abi: aggregatorV3Abi } as const;
    const [decimals, emitter] = await Promise.all([
      orNull(client.readContract({ ...contract, functionName: 'decimals' })),
      orNull(client.readContract({ address: feed, abi: feedProxyAbi, functionName: 'aggregator' })),
    ]);
    if (decimals === null) return null;
    return { asset: getAddress(asset), feed: getAddress(feed), emitter: getAddress(emitter ?? feed), decimals };
  };
  try {
    const feeds = await Promise.all(Object.entries(config.priceFeeds).map(resolve));
    return feeds.filter((feed) => feed !== null);
  } catch (error) {
    throw unwrapRpcError(error);
  }
}
