import type { Deployment } from './chain-record.ts';

type DeploymentFile = {
  aggregator: string;
  pps_oracle: string;
  start_block: number;
  price_feeds: Record<string, string>;
  vaults: { name: string; vault: string; strategy: string; escrow: string; asset: string }[];
};

/** What the devnet wrote down about one of its vaults. @throws Error when it has no such vault, or no price for its asset. */
export function deploymentOf(file: DeploymentFile, nameOrAddress: string): Deployment {
  const wanted = nameOrAddress.toLowerCase();
  const found = file.vaults.find(({ name, vault }) => [name, vault].some((id) => id.toLowerCase() === wanted));
  if (!found) throw new Error(`The deployment has no vault ${nameOrAddress}.`);
  const { vault, strategy, escrow, asset } = found;
  const priceFeed = file.price_feeds[asset];
  if (!priceFeed) throw new Error(`The deployment has no price feed of ${asset}.`);
  const { aggregator, pps_oracle: oracle, start_block } = file;
  return { vault, strategy, escrow, asset, aggregator, oracle, priceFeed, startBlock: BigInt(start_block) };
}
