import { AppError } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { aggregatorV3Abi, feedProxyAbi } from '../abi/aggregator-v3.ts';
import { RpcFault, type Script, scriptedChain, scriptedClient } from '../scripted-rpc.fixture.ts';
import { feedArgs, resolvePriceFeeds } from './price-feeds.ts';

const weth: Address = '0x1000000000000000000000000000000000000001';
const usdc: Address = '0x1000000000000000000000000000000000000002';
const proxy: Address = '0x2000000000000000000000000000000000000001';
const bare: Address = '0x2000000000000000000000000000000000000002';
const behindProxy: Address = '0x3000000000000000000000000000000000000001';

const feedOf = (functions: Script['functions']): Script => ({
  abi: [...aggregatorV3Abi, ...feedProxyAbi],
  functions,
});
const reverts = () => {
  throw new RpcFault(3, 'execution reverted', '0x');
};

describe('resolvePriceFeeds', () => {
  test('default: behind a proxy the aggregator emits the answers, a bare feed emits its own', async () => {
    const chain = scriptedChain({
      contracts: {
        [proxy]: feedOf({ decimals: () => 8, aggregator: () => behindProxy }),
        [bare]: feedOf({ decimals: () => 18, aggregator: reverts }),
      },
    });
    const feeds = await resolvePriceFeeds(scriptedClient(chain), { priceFeeds: { [weth]: proxy, [usdc]: bare } });
    expect(feeds).toEqual([
      { asset: weth, feed: proxy, emitter: behindProxy, decimals: 8 },
      { asset: usdc, feed: bare, emitter: bare, decimals: 18 },
    ]);
  });

  test('behavior: a feed may answer the benchmark of an asset, and the log says so of its answers', async () => {
    const chain = scriptedChain({
      contracts: { [proxy]: feedOf({ decimals: () => 8, aggregator: () => behindProxy }) },
    });
    const rate = { name: 'Overnight rate', version: '2', measure: 'yearly_rate' } as const;
    const feeds = await resolvePriceFeeds(scriptedClient(chain), {
      priceFeeds: { [weth]: proxy },
      benchmarks: { [usdc]: { ...rate, feed: proxy } },
    });
    expect(feedArgs(feeds, behindProxy.toLowerCase())).toEqual({
      asset_addresses: [weth],
      decimals: 8,
      feed: proxy,
      benchmarks: [{ asset_address: usdc, ...rate }],
    });
    expect(Object.keys(feedArgs(feeds.slice(0, 1), behindProxy) ?? {})).not.toContain('benchmarks');
    expect(feedArgs(feeds, bare)).toBeUndefined();
  });

  test('behavior: a feed that is not there is left out', async () => {
    const client = scriptedClient(scriptedChain());
    expect(await resolvePriceFeeds(client, { priceFeeds: { [weth]: proxy } })).toEqual([]);
  });

  test('error: RPC_UNAVAILABLE when no node answers: a missing price must not look like no feed', async () => {
    const chain = scriptedChain({ contracts: { [proxy]: feedOf({ decimals: () => 8 }) } });
    chain.before = () => {
      throw new AppError('RPC_UNAVAILABLE', 'away');
    };
    await expect(resolvePriceFeeds(scriptedClient(chain), { priceFeeds: { [weth]: proxy } })).rejects.toMatchObject({
      code: 'RPC_UNAVAILABLE',
    });
  });
});
