import { validatorConfigDigest } from '@castellan/chain';
import { zeroAddress } from 'viem';
import { devnetNetworkOf } from './networks.ts';
import { validatorConfigFor } from './validators.ts';
import type { World } from './world.ts';

type BenchmarkList = Record<string, { name: string; version: string; feed: string; measure: 'yearly_rate' }>;

/** `deployment.json`: where everything is, for services, tests and scripts. Addresses are EIP-55. */
export type Deployment = {
  chain_id: number;
  slug: string;
  name: string;
  /** Left out where it is 2. */
  block_time_seconds?: number;
  governor: string;
  aggregator: string;
  pps_oracle: string;
  upkeep_token: string;
  yield_source_oracle: string;
  start_block: number;
  /** Asset to its USD feed; the zero address stands for the native coin. */
  price_feeds: Record<string, string>;
  /** Asset to what its vaults are measured by; left out of a chain that was made before there were any. */
  benchmarks?: BenchmarkList;
  /** Names of yield sources and hooks. */
  source_names: Record<string, string>;
  hooks: { deposit: string; redeem: string; claim?: string; swap?: string };
  /** What sources pay beside their yield; left out of a chain that was made before there were any. */
  rewards?: { source: string; distributor: string; token: string; pool: string }[];
  vaults: { name: string; vault: string; strategy: string; escrow: string; asset: string }[];
  /** Yield sources that no vault has yet, free to be added. */
  candidate_sources: { asset: string; source: string; name: string }[];
  /** Digest of the validators' configuration: a chain stored with another one is not continued. */
  validator_config_digest: string;
};

/** Seconds; of every deployment that was written before a chain could have another one. */
const usualBlockTime = 2;

/** Wrapped ether has the price of the native coin. */
const nativeLike = (vaults: World['vaults']) => vaults.filter(({ plan }) => plan.asset.symbol === 'WETH');

const benchmarksOf = (benchmarks: World['benchmarks']): BenchmarkList =>
  Object.fromEntries(
    benchmarks.map(({ asset, feed, name }) => [asset, { name, version: '1', feed, measure: 'yearly_rate' }]),
  );

/** What others need to know of a world: addresses, first block, and the least time between prices in seconds. */
export function deploymentOf({
  core,
  chainId,
  vaults,
  candidates,
  benchmarks,
  rewards,
  startBlock,
  priceIntervalSeconds,
}: Omit<World, 'artifacts'>): Deployment {
  const { slug, name, blockTimeSeconds } = devnetNetworkOf(chainId);
  const deployment: Deployment = {
    chain_id: chainId,
    slug,
    name,
    governor: core.governor,
    aggregator: core.aggregator,
    pps_oracle: core.ppsOracle,
    upkeep_token: core.upkeepToken,
    yield_source_oracle: core.yieldSourceOracle,
    start_block: startBlock,
    price_feeds: {
      ...Object.fromEntries(vaults.map(({ asset, feed }) => [asset, feed])),
      ...Object.fromEntries(nativeLike(vaults).map(({ feed }) => [zeroAddress, feed])),
    },
    ...(benchmarks.length === 0 ? {} : { benchmarks: benchmarksOf(benchmarks) }),
    source_names: {
      ...Object.fromEntries(vaults.flatMap(({ sources }) => sources.map(({ address, name }) => [address, name]))),
      ...Object.fromEntries(candidates.map(({ address, name }) => [address, name])),
      [core.depositHook]: 'Approve and deposit',
      [core.redeemHook]: 'Redeem',
      ...(rewards ? { [rewards.hooks.claim]: 'Claim rewards', [rewards.hooks.swap]: 'Swap' } : {}),
    },
    hooks: { deposit: core.depositHook, redeem: core.redeemHook, ...rewards?.hooks },
    ...(rewards ? { rewards: rewards.list } : {}),
    vaults: vaults.map(({ plan, vault, strategy, escrow, asset }) => ({
      name: plan.name,
      vault,
      strategy,
      escrow,
      asset,
    })),
    candidate_sources: candidates.map(({ asset, address, name }) => ({ asset, source: address, name })),
    validator_config_digest: digestOf(core, chainId, priceIntervalSeconds),
  };
  return blockTimeSeconds === usualBlockTime ? deployment : { ...deployment, block_time_seconds: blockTimeSeconds };
}

function digestOf(
  { governor, ppsOracle: oracle }: World['core'],
  chainId: number,
  priceIntervalSeconds: number,
): string {
  const { validatorPublicKeys: publicKeys, ...config } = validatorConfigFor(priceIntervalSeconds);
  return validatorConfigDigest({ ...config, chainId, governor, oracle, version: 1n, publicKeys });
}
