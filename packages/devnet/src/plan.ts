/** What the devnet's vaults are: facts of the scenario, in whole units of their asset. */
export type VaultPlan = {
  name: string;
  symbol: string;
  asset: { name: string; symbol: string; decimals: number; priceUsd: number; dailyMove: number };
  performanceFeeBps: bigint;
  managementFeeBps: bigint;
  sources: readonly { name: string; symbol: string; apy: number; weight: number }[];
  /** A source of the same asset that is not on the vault's list: what a manager can add. */
  candidate: { name: string; symbol: string };
  /** What it is measured by: a rate of a year that the devnet makes on chain, and sets anew every week. */
  benchmark: { name: string; rate: number };
  /** A token that its first source pays its holders beside the yield: so much a day to all of them. */
  reward?: { name: string; symbol: string; decimals: number; perDay: number; priceInAssets: number };
  /** Range of one deposit. */
  deposit: { least: number; most: number };
};

/** The vaults of the scenario. */
export const vaultPlans: readonly VaultPlan[] = [
  {
    name: 'USDC Core',
    symbol: 'csUSDC',
    asset: { name: 'USD Coin', symbol: 'USDC', decimals: 6, priceUsd: 1, dailyMove: 0.0002 },
    performanceFeeBps: 1_000n,
    managementFeeBps: 0n,
    sources: [
      { name: 'Morpho Prime USDC', symbol: 'mpUSDC', apy: 0.079, weight: 0.35 },
      { name: 'Aave v3 USDC', symbol: 'aUSDC', apy: 0.052, weight: 0.25 },
      { name: 'Euler Yield USDC', symbol: 'eyUSDC', apy: 0.094, weight: 0.2 },
      { name: 'Sky Savings USDC', symbol: 'sUSDC', apy: 0.052, weight: 0.15 },
    ],
    candidate: { name: 'Fluid Lending USDC', symbol: 'fUSDC' },
    benchmark: { name: 'Devnet overnight USDC', rate: 0.043 },
    reward: { name: 'Prime Reward', symbol: 'PRIME', decimals: 18, perDay: 400, priceInAssets: 1.6 },
    deposit: { least: 2_000, most: 60_000 },
  },
  {
    name: 'WETH Growth',
    symbol: 'gWETH',
    asset: { name: 'Wrapped Ether', symbol: 'WETH', decimals: 18, priceUsd: 3_450, dailyMove: 0.028 },
    performanceFeeBps: 1_500n,
    managementFeeBps: 10n,
    sources: [
      { name: 'Staked Ether Loop', symbol: 'loopETH', apy: 0.088, weight: 0.5 },
      { name: 'Aave v3 WETH', symbol: 'aWETH', apy: 0.036, weight: 0.3 },
      { name: 'Pendle PT stETH', symbol: 'ptETH', apy: 0.072, weight: 0.15 },
    ],
    candidate: { name: 'Spark WETH', symbol: 'spWETH' },
    benchmark: { name: 'Devnet ether staking', rate: 0.029 },
    deposit: { least: 1, most: 25 },
  },
  {
    name: 'WBTC Reserve',
    symbol: 'rWBTC',
    asset: { name: 'Wrapped Bitcoin', symbol: 'WBTC', decimals: 8, priceUsd: 96_500, dailyMove: 0.022 },
    performanceFeeBps: 2_000n,
    managementFeeBps: 25n,
    sources: [
      { name: 'Aave v3 WBTC', symbol: 'aWBTC', apy: 0.031, weight: 0.4 },
      { name: 'Morpho WBTC', symbol: 'mWBTC', apy: 0.049, weight: 0.25 },
      { name: 'Babylon Restaked', symbol: 'bWBTC', apy: 0.064, weight: 0.15 },
      { name: 'Basis Vault WBTC', symbol: 'bsWBTC', apy: 0.092, weight: 0.1 },
      { name: 'Fluid WBTC', symbol: 'fWBTC', apy: 0.042, weight: 0.05 },
    ],
    candidate: { name: 'Euler WBTC', symbol: 'eWBTC' },
    benchmark: { name: 'Devnet bitcoin lending', rate: 0.006 },
    deposit: { least: 0.05, most: 1.5 },
  },
];

/** A whole-unit figure of the plan as base units; six digits are enough for a scenario. */
export const toBase = (units: number, decimals: number): bigint =>
  (BigInt(Math.round(units * 1e6)) * 10n ** BigInt(decimals)) / 1_000_000n;
