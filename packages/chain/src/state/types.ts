import type { Address, Hash, Hex } from 'viem';

/** Where one vault's state lives. `priceFeed` is the USD feed (AggregatorV3) of the vault's asset, if there is one. */
export type VaultAddresses = {
  vault: Address;
  strategy: Address;
  /** Holds nothing that its vault does not report. */
  escrow?: Address | undefined;
  aggregator: Address;
  governor: Address;
  priceFeed?: Address | undefined;
};

/** An ERC-20's metadata; `symbol` and `name` fall back to its address for tokens that do not answer with strings. */
export type TokenMeta = { address: Address; name: string; symbol: string; decimals: number };

/** What never changes after creation; read once and passed back in. */
export type VaultStatics = {
  name: string;
  symbol: string;
  decimals: number;
  asset: TokenMeta;
  /** 10^asset decimals: PPS of 1.0. */
  precision: bigint;
  maxStaleness: bigint;
};

/** One yield source. `assets` (base units of the asset) is null and `error` says why when it could not be valued. */
export type SourceState = {
  address: Address;
  oracle: Address;
  /** The source token's own name; null when it has none. */
  name: string | null;
  assets: bigint | null;
  /** Source shares the strategy holds. */
  shares: bigint | null;
  /** What the source would pay out at once (ERC-4626 `maxWithdraw`); null when it does not report it. */
  available: bigint | null;
  /** Asset base units per whole source share. */
  pricePerShare: bigint | null;
  error: string | null;
};

/** A value that takes effect at `effectiveTime` (chain seconds). */
export type Pending<T> = { value: T; effectiveTime: bigint };

/** Latest answer of a USD feed: `answer` / 10^`decimals` dollars per whole asset; `updatedAt` in seconds. */
export type FeedPrice = { feed: Address; roundId: bigint; answer: bigint; decimals: number; updatedAt: bigint };

/** Roots are null while unset (zero on chain). */
export type HooksState = {
  strategyRoot: Hex | null;
  strategyVetoed: boolean;
  proposedStrategyRoot: Pending<Hex> | null;
  globalRoot: Hex | null;
  globalVetoed: boolean;
  proposedGlobalRoot: Pending<Hex> | null;
  /** Seconds between proposing and executing a root. */
  updateTimelock: bigint;
};

/** What pays for price updates of a vault. */
export type UpkeepState = {
  enabled: boolean;
  /** In base units of `token`. */
  balance: bigint;
  /** 0n when no cost is set; null when there is no active oracle or the price lookup fails (updates are then free). */
  costPerUpdate: bigint | null;
  token: TokenMeta | null;
  pendingWithdrawal: Pending<bigint> | null;
};

/**
 * A vault at one block. Times and durations in seconds, PPS over `precision`, amounts in base units, fees in basis points.
 */
export type VaultState = VaultStatics & {
  blockNumber: bigint;
  blockHash: Hash;
  blockTimestamp: bigint;
  totalSupply: bigint;
  totalAssets: bigint;
  pps: bigint;
  hwm: bigint;
  lastUpdateTimestamp: bigint;
  /** 0n when never unpaused. */
  lastUnpauseTimestamp: bigint;
  minUpdateInterval: bigint;
  pendingMinUpdateInterval: Pending<bigint> | null;
  ppsExpiration: bigint;
  proposedPpsExpiration: Pending<bigint> | null;
  /** Fraction scaled by 1e18; uint256 max switches the guard off. */
  deviationThreshold: bigint;
  isPaused: boolean;
  isPpsStale: boolean;
  fees: { performanceFeeBps: bigint; managementFeeBps: bigint; recipient: Address };
  /** The protocol's share of each performance fee. */
  protocolFeeShareBps: bigint;
  /** null when the strategy's own calculation fails. */
  unrealizedProfit: bigint | null;
  upkeep: UpkeepState;
  primaryManager: Address;
  /** `wallet`: one key signs for it, a delegated one (EIP-7702) too. Null when the node does not say. */
  primaryManagerKind: 'wallet' | 'contract' | null;
  secondaryManagers: readonly Address[];
  pendingManagerChange: Pending<Address> | null;
  idleAssets: bigint;
  escrowedAssets: bigint;
  sources: SourceState[];
  hooks: HooksState;
  ppsOracle: Address | null;
  /** The strategy's next nonce at the active oracle; null without one. */
  oracleNonce: bigint | null;
  /** null without a feed, or when the feed does not answer. */
  price: FeedPrice | null;
};
