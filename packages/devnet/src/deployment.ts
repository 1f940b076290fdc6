import { validatorConfigDigest } from '@castellan/chain';
import { zeroAddress } from 'viem';
import { validatorConfigFor } from './validators.ts';
import type { World } from './world.ts';

/** `deployment.json`: where everything is, for services, tests and scripts. Addresses are EIP-55. */
export type Deployment = {
  chain_id: 31337;
  slug: 'devnet';
  name: 'Devnet';
  governor: string;
  aggregator: string;
  pps_oracle: string;
  upkeep_token: string;
  yield_source_oracle: string;
  start_block: number;
  /** Asset to its USD feed; the zero address stands for the native coin. */
  price_feeds: Record<string, string>;
  /** Names of yield sources and hooks. */
  source_names: Record<string, string>;
  hooks: { deposit: string; redeem: string };
  vaults: { name: string; vault: string; strategy: string; escrow: string; asset: string }[];
  /** Yield sources that no vault has yet, free to be added. */
  candidate_sources: { asset: string; source: string; name: string }[];
  /** Digest of the validators' configuration: a chain stored with another one is not continued. */
  validator_config_digest: string;
};

/** Wrapped ether has the price of the native coin. */
const nativeLike = (vaults: World['vaults']) => vaults.filter(({ plan }) => plan.asset.symbol === 'WETH');

/** What others need to know of a world: addresses, first block, and the least time between prices in seconds. */
export const deploymentOf = ({
  core,
  vaults,
  candidates,
  startBlock,
  priceIntervalSeconds,
}: Omit<World, 'artifacts'>): Deployment => ({
  chain_id: 31337,
  slug: 'devnet',
  name: 'Devnet',
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
  source_names: {
    ...Object.fromEntries(vaults.flatMap(({ sources }) => sources.map(({ address, name }) => [address, name]))),
    ...Object.fromEntries(candidates.map(({ address, name }) => [address, name])),
    [core.depositHook]: 'Approve and deposit',
    [core.redeemHook]: 'Redeem',
  },
  hooks: { deposit: core.depositHook, redeem: core.redeemHook },
  vaults: vaults.map(({ plan, vault, strategy, escrow, asset }) => ({
    name: plan.name,
    vault,
    strategy,
    escrow,
    asset,
  })),
  candidate_sources: candidates.map(({ asset, address, name }) => ({ asset, source: address, name })),
  validator_config_digest: digestOf(core, priceIntervalSeconds),
});

function digestOf({ governor, ppsOracle: oracle }: World['core'], priceIntervalSeconds: number): string {
  const { validatorPublicKeys: publicKeys, ...config } = validatorConfigFor(priceIntervalSeconds);
  return validatorConfigDigest({ ...config, chainId: 31337, governor, oracle, version: 1n, publicKeys });
}
