import { type VaultPlan, vaultPlans } from './plan.ts';

/** One local chain of the devnet. */
export type DevnetNetwork = {
  readonly chainId: number;
  readonly slug: string;
  readonly name: string;
  readonly blockTimeSeconds: number;
  readonly vaults: readonly VaultPlan[];
};

const secondChainVaults: readonly VaultPlan[] = [
  {
    name: 'EURC Harbour',
    symbol: 'hEURC',
    asset: { name: 'Euro Coin', symbol: 'EURC', decimals: 6, priceUsd: 1.08, dailyMove: 0.004 },
    performanceFeeBps: 1_000n,
    managementFeeBps: 5n,
    sources: [
      { name: 'Morpho EURC', symbol: 'mEURC', apy: 0.048, weight: 0.5 },
      { name: 'Aave v3 EURC', symbol: 'aEURC', apy: 0.034, weight: 0.4 },
    ],
    candidate: { name: 'Moonwell EURC', symbol: 'mwEURC' },
    benchmark: { name: 'Devnet overnight EURC', rate: 0.021 },
    reward: { name: 'Harbour Reward', symbol: 'HARB', decimals: 18, perDay: 250, priceInAssets: 0.8 },
    deposit: { least: 1_500, most: 40_000 },
  },
  {
    name: 'WETH Arc',
    symbol: 'arcWETH',
    asset: { name: 'Wrapped Ether', symbol: 'WETH', decimals: 18, priceUsd: 3_450, dailyMove: 0.03 },
    performanceFeeBps: 1_250n,
    managementFeeBps: 0n,
    sources: [
      { name: 'Aerodrome Ether', symbol: 'aeroETH', apy: 0.071, weight: 0.5 },
      { name: 'Moonwell WETH', symbol: 'mwWETH', apy: 0.029, weight: 0.3 },
    ],
    candidate: { name: 'Compound WETH', symbol: 'cWETH' },
    benchmark: { name: 'Devnet ether staking', rate: 0.029 },
    deposit: { least: 0.5, most: 12 },
  },
];

/** The chains that `npm start` can make, in the order in which `--chains` adds them. The first has no number in its names: it was alone. */
export const devnetNetworks: readonly [DevnetNetwork, ...DevnetNetwork[]] = [
  { chainId: 31337, slug: 'devnet', name: 'Devnet', blockTimeSeconds: 2, vaults: vaultPlans },
  { chainId: 31338, slug: 'devnet-2', name: 'Devnet Two', blockTimeSeconds: 1, vaults: secondChainVaults },
];

/** @throws Error naming the chains that there are. */
export function devnetNetworkOf(chainId: number): DevnetNetwork {
  const found = devnetNetworks.find((network) => network.chainId === chainId);
  if (found) return found;
  const known = devnetNetworks.map((network) => network.chainId).join(', ');
  throw new Error(`The devnet has no chain ${chainId}; it has ${known}.`);
}
