import type { Deployment } from './chain-record.ts';

type DeploymentFile = {
  governor: string;
  aggregator: string;
  pps_oracle: string;
  start_block: number;
  price_feeds: Record<string, string>;
  benchmarks?: Record<string, { name: string; version: string; feed: string }>;
  vaults: { name: string; vault: string; strategy: string; escrow: string; asset: string }[];
};

/** Where a price feed of the chain's own coin is listed. */
const NATIVE = `0x${'0'.repeat(40)}`;

/** What the devnet wrote down about one of its vaults. @throws Error when it has no such vault, or no price for its asset. */
export function deploymentOf(file: DeploymentFile, nameOrAddress: string): Deployment {
  const wanted = nameOrAddress.toLowerCase();
  const found = file.vaults.find(({ name, vault }) => [name, vault].some((id) => id.toLowerCase() === wanted));
  if (!found) throw new Error(`The deployment has no vault ${nameOrAddress}.`);
  const { vault, strategy, escrow, asset } = found;
  const priceFeed = file.price_feeds[asset];
  const nativeFeed = file.price_feeds[NATIVE];
  if (!priceFeed || !nativeFeed)
    throw new Error(`The deployment has no price feed of ${asset} or of the chain's coin.`);
  const { governor, aggregator, pps_oracle: oracle, start_block } = file;
  const startBlock = BigInt(start_block);
  const listed = file.benchmarks?.[asset];
  return {
    vault,
    strategy,
    escrow,
    asset,
    governor,
    aggregator,
    oracle,
    priceFeed,
    nativeFeed,
    benchmarkFeed: listed?.feed ?? '',
    benchmark: listed ? { name: listed.name, version: listed.version } : null,
    startBlock,
  };
}

/** Names and addresses of all vaults of a deployment. */
export const vaultsOf = (file: DeploymentFile) => file.vaults.map(({ name, vault }) => ({ name, vault }));
