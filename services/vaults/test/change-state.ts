import type { PreparedArgs, PreparedKind } from '@castellan/contracts';
import { anAddress } from '@castellan/testkit';
import { type Address, getAddress, zeroHash } from 'viem';
import type { ChangeState, ChangeTarget, Position } from '../src/prepared-calls/changes/domain/change.ts';
import type { Redemption } from '../src/vault/domain/redemption.ts';

/** A vault at one block, in which most changes would pass. */

export const at = 1_800_000_000n;
export const [primary, secondary, newcomer] = [anAddress(0xb1), anAddress(0xb2), anAddress(0xb3)];
export const [alice, bob] = [anAddress(0xd1), anAddress(0xd2)];
export const [source, sourceOracle, upkeepToken] = [anAddress(0xc1), anAddress(0xc2), anAddress(0xc3)];
export const target: ChangeTarget = {
  chainId: 31_337,
  vault: anAddress(0xa1),
  strategy: anAddress(0xa2),
  aggregator: anAddress(0xa5),
  name: 'USDC Core',
};

export const rootOf = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`;

export const heldSource = {
  address: source,
  oracle: sourceOracle,
  name: 'Lending',
  assets: 0n,
  shares: 0n,
  available: 0n,
  pricePerShare: 1_000_000n,
  error: null,
};

type Vault = ChangeState['vault'];

const vault: Vault = {
  name: 'USDC Core',
  symbol: 'cUSDC',
  decimals: 6,
  asset: { address: anAddress(0xa4), name: 'USD Coin', symbol: 'USDC', decimals: 6 },
  precision: 1_000_000n,
  maxStaleness: 3_600n,
  blockNumber: 500n,
  blockHash: zeroHash,
  blockTimestamp: at,
  totalSupply: 1_000_000_000n,
  totalAssets: 1_100_000_000n,
  pps: 1_100_000n,
  hwm: 1_000_000n,
  lastUpdateTimestamp: at - 60n,
  lastUnpauseTimestamp: 0n,
  minUpdateInterval: 60n,
  pendingMinUpdateInterval: null,
  ppsExpiration: 86_400n,
  proposedPpsExpiration: null,
  deviationThreshold: 5n * 10n ** 17n,
  isPaused: false,
  isPpsStale: false,
  fees: { performanceFeeBps: 1_000n, managementFeeBps: 10n, recipient: anAddress(0xfee) },
  protocolFeeShareBps: 5_000n,
  unrealizedProfit: 100_000_000n,
  upkeep: {
    enabled: true,
    balance: 700n,
    costPerUpdate: 2n,
    token: { address: upkeepToken, name: 'Upkeep', symbol: 'UP', decimals: 18 },
    pendingWithdrawal: null,
  },
  primaryManager: primary,
  primaryManagerKind: 'wallet',
  secondaryManagers: [secondary],
  pendingManagerChange: null,
  idleAssets: 50_000_000n,
  escrowedAssets: 0n,
  sources: [heldSource],
  hooks: {
    strategyRoot: null,
    strategyVetoed: false,
    proposedStrategyRoot: null,
    globalRoot: null,
    globalVetoed: false,
    proposedGlobalRoot: null,
    updateTimelock: 900n,
  },
  ppsOracle: anAddress(0xa6),
  oracleNonce: 3n,
  price: null,
};

/** A wallet that waits: 10 shares, worth 11 of the asset, of which 10.9 would do. */
export const waiting = (controller: Address, changed: Partial<Redemption> = {}): Redemption => ({
  controller,
  shares: 10_000_000n,
  assets: 11_000_000n,
  least: 10_900_000n,
  isCancelled: false,
  ...changed,
});

/** A wallet that waits for nothing, and has 1 000 of the asset and 20 shares. */
export const position: Position = {
  assets: 1_000_000_000n,
  allowance: 1_000_000_000n,
  needsReset: false,
  shares: 20_000_000n,
  request: waiting(primary, { shares: 0n, assets: 0n, least: 0n }),
  claimableAssets: 0n,
  claimableShares: 0n,
};

export const positionIs = (changed: Partial<Position>): Overrides => ({ position: { ...position, ...changed } });

export type Overrides = Partial<Omit<ChangeState, 'vault'>> & { vault?: Partial<Vault> };

export const stateOf = ({ vault: changed = {}, ...rest }: Overrides = {}): ChangeState => ({
  vault: { ...vault, ...changed },
  maxSecondaryManagers: 5,
  pendingFees: null,
  wallet: { balance: 1_000n, allowance: 1_000n },
  sourceChecks: [],
  hooksTreeLeaves: 2,
  bannedLeaves: new Set(),
  redemptions: [waiting(bob), waiting(alice)],
  position,
  ...rest,
});

const pair = { source_address: getAddress(source), oracle_address: getAddress(sourceOracle) };
const fresh = { source_address: anAddress(0xc9), oracle_address: getAddress(sourceOracle) };

/** Something to ask for of each kind. */
export const argsFor: { readonly [K in PreparedKind]: PreparedArgs<K> } = {
  add_secondary_manager: { manager_address: newcomer },
  remove_secondary_manager: { manager_address: secondary },
  cancel_primary_change: {},
  propose_fees: { performance_fee_bps: 1_500, management_fee_bps: 20, recipient: newcomer },
  execute_fees: {},
  skim_fees: {},
  set_deviation_threshold: { deviation_threshold_bps: 250 },
  propose_expiration: { expiration_seconds: 3_600 },
  execute_expiration: {},
  cancel_expiration: {},
  propose_min_update_interval: { min_update_interval_seconds: 90 },
  execute_min_update_interval: {},
  cancel_min_update_interval: {},
  deposit_upkeep: { amount: '500' },
  propose_upkeep_withdrawal: {},
  execute_upkeep_withdrawal: {},
  pause: { reason: 'The source is under attack.' },
  unpause: { reason: 'It is over.' },
  add_yield_sources: { sources: [fresh] },
  update_yield_source_oracles: { sources: [{ ...pair, oracle_address: newcomer }] },
  remove_yield_sources: { sources: [{ source_address: pair.source_address }] },
  propose_hooks_root: { root: rootOf('a') },
  execute_hooks_root: {},
  ban_hook_leaves: { leaves: [rootOf('b'), rootOf('c')] },
  allow_hook_leaves: { leaves: [rootOf('b')] },
  fulfil_redemptions: { controllers: [bob, alice] },
  fulfil_cancellations: { controllers: [bob] },
  deposit: { assets: '110000000' },
  request_redemption: { shares: '15000000' },
  cancel_redemption: {},
  claim_redemption: {},
  claim_cancelled_shares: {},
};
