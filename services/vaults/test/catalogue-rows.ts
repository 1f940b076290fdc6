import type { PreparedKind } from '@castellan/contracts';
import { anAddress } from '@castellan/testkit';
import { type Address, getAddress, zeroAddress } from 'viem';
import {
  alice,
  at,
  bob,
  heldSource,
  newcomer,
  type Overrides,
  positionIs,
  primary,
  rootOf,
  secondary,
  source,
  sourceOracle,
  stateOf,
  target,
  waiting,
} from './change-state.ts';

const { aggregator, strategy, vault } = target;
const DAY = 86_400n;
export const fresh = anAddress(0xc9);
export const terms = { performanceFeeBps: 1_500, managementFeeBps: 20, recipient: newcomer };
export const pending = <T>(value: T, effectiveTime = at) => ({ value, effectiveTime });

export const hooksAre = (changed: object) => ({ vault: { hooks: { ...stateOf().vault.hooks, ...changed } } });

type Row = {
  /** Signature as the contracts have it, with what the calldata must carry. */
  call: [to: Address, signature: string, args: unknown[]];
  /** A state in which it would pass, when the usual one is not, and what is different after. */
  before?: Overrides;
  after: Overrides;
  changes: Record<string, [unknown, unknown]>;
};

/** What each kind of change calls and changes. */
export const rows: { readonly [K in PreparedKind]: Row } = {
  add_secondary_manager: {
    call: [aggregator, 'addSecondaryManager(address,address)', [strategy, newcomer]],
    after: { vault: { secondaryManagers: [secondary, newcomer] } },
    changes: { role: [null, 'secondary_manager'], secondary_managers: [1, 2] },
  },
  remove_secondary_manager: {
    call: [aggregator, 'removeSecondaryManager(address,address)', [strategy, secondary]],
    after: { vault: { secondaryManagers: [] } },
    changes: { role: ['secondary_manager', null], secondary_managers: [1, 0] },
  },
  cancel_primary_change: {
    call: [aggregator, 'cancelChangePrimaryManager(address)', [strategy]],
    before: { vault: { pendingManagerChange: pending(newcomer) } },
    after: {},
    changes: { pending_primary_manager: [newcomer, null] },
  },
  propose_fees: {
    call: [strategy, 'proposeVaultFeeConfigUpdate(uint256,uint256,address)', [1_500n, 20n, newcomer]],
    after: { pendingFees: { ...terms, effectiveTime: at + 7n * DAY } },
    changes: {
      pending_performance_fee_bps: [null, 1_500],
      pending_management_fee_bps: [null, 20],
      pending_fee_recipient: [null, newcomer],
    },
  },
  execute_fees: {
    call: [strategy, 'executeVaultFeeConfigUpdate()', []],
    before: { pendingFees: { ...terms, effectiveTime: at } },
    after: { vault: { fees: { performanceFeeBps: 1_500n, managementFeeBps: 20n, recipient: newcomer } } },
    changes: {
      performance_fee_bps: [1_000, 1_500],
      management_fee_bps: [10, 20],
      fee_recipient: [anAddress(0xfee), newcomer],
      hwm_pps: ['1000000', '1100000'],
    },
  },
  // Profit 0.1 x 1 000 shares: 100 USDC, of which a tenth is the fee, and a hundredth of the price.
  skim_fees: {
    call: [strategy, 'skimPerformanceFee()', []],
    after: { vault: { pps: 1_090_000n, hwm: 1_090_000n, idleAssets: 40_000_000n } },
    changes: {
      current_pps: ['1100000', '1090000'],
      hwm_pps: ['1000000', '1090000'],
      free_assets: ['50000000', '40000000'],
    },
  },
  set_deviation_threshold: {
    call: [aggregator, 'updateDeviationThreshold(address,uint256)', [strategy, 25n * 10n ** 15n]],
    after: { vault: { deviationThreshold: 25n * 10n ** 15n } },
    changes: { deviation_threshold_bps: [5_000, 250] },
  },
  propose_expiration: {
    call: [strategy, 'managePPSExpiration(uint8,uint256)', [0, 3_600n]],
    after: { vault: { proposedPpsExpiration: pending(3_600n, at + 7n * DAY) } },
    changes: { pending_expiration_seconds: [null, 3_600] },
  },
  execute_expiration: {
    call: [strategy, 'managePPSExpiration(uint8,uint256)', [1, 0n]],
    before: { vault: { proposedPpsExpiration: pending(3_600n) } },
    after: { vault: { ppsExpiration: 3_600n } },
    changes: { expiration_seconds: [86_400, 3_600], pending_expiration_seconds: [3_600, null] },
  },
  cancel_expiration: {
    call: [strategy, 'managePPSExpiration(uint8,uint256)', [2, 0n]],
    before: { vault: { proposedPpsExpiration: pending(3_600n) } },
    after: {},
    changes: { pending_expiration_seconds: [3_600, null] },
  },
  propose_min_update_interval: {
    call: [aggregator, 'proposeMinUpdateIntervalChange(address,uint256)', [strategy, 90n]],
    after: { vault: { pendingMinUpdateInterval: pending(90n, at + 3n * DAY) } },
    changes: { pending_min_update_interval_seconds: [null, 90] },
  },
  execute_min_update_interval: {
    call: [aggregator, 'executeMinUpdateIntervalChange(address)', [strategy]],
    before: { vault: { pendingMinUpdateInterval: pending(0n) } },
    after: { vault: { minUpdateInterval: 0n } },
    changes: { min_update_interval_seconds: [60, 0], pending_min_update_interval_seconds: [0, null] },
  },
  cancel_min_update_interval: {
    call: [aggregator, 'cancelMinUpdateIntervalChange(address)', [strategy]],
    before: { vault: { pendingMinUpdateInterval: pending(90n) } },
    after: {},
    changes: { pending_min_update_interval_seconds: [90, null] },
  },
  deposit_upkeep: {
    call: [aggregator, 'depositUpkeep(address,uint256)', [strategy, 500n]],
    // A price was paid for meanwhile.
    after: { vault: { upkeep: { ...stateOf().vault.upkeep, balance: 1_198n } } },
    changes: { upkeep_balance: ['700', '1200'] },
  },
  propose_upkeep_withdrawal: {
    call: [aggregator, 'proposeWithdrawUpkeep(address)', [strategy]],
    after: { vault: { upkeep: { ...stateOf().vault.upkeep, pendingWithdrawal: pending(698n, at + DAY) } } },
    changes: { pending_upkeep_withdrawal: [null, '700'] },
  },
  execute_upkeep_withdrawal: {
    call: [aggregator, 'executeWithdrawUpkeep(address)', [strategy]],
    before: { vault: { upkeep: { ...stateOf().vault.upkeep, pendingWithdrawal: pending(900n) } } },
    after: { vault: { upkeep: { ...stateOf().vault.upkeep, balance: 0n } } },
    changes: { upkeep_balance: ['700', '0'], pending_upkeep_withdrawal: ['900', null] },
  },
  pause: {
    call: [aggregator, 'pauseStrategy(address)', [strategy]],
    after: { vault: { isPaused: true, isPpsStale: true } },
    changes: { is_paused: [false, true], is_pps_stale: [false, true] },
  },
  unpause: {
    call: [aggregator, 'unpauseStrategy(address)', [strategy]],
    before: { vault: { isPaused: true, isPpsStale: true } },
    after: { vault: { isPpsStale: true } },
    changes: { is_paused: [true, false], is_pps_stale: [true, true] },
  },
  add_yield_sources: {
    call: [strategy, 'manageYieldSources(address[],address[],uint8[])', [[fresh], [getAddress(sourceOracle)], [0]]],
    after: { vault: { sources: [heldSource, { ...heldSource, address: fresh }] } },
    changes: { [`oracle_of_${fresh}`]: [null, sourceOracle] },
  },
  update_yield_source_oracles: {
    call: [strategy, 'manageYieldSources(address[],address[],uint8[])', [[source], [newcomer], [1]]],
    after: { vault: { sources: [{ ...heldSource, oracle: newcomer }] } },
    changes: { [`oracle_of_${source}`]: [sourceOracle, newcomer] },
  },
  remove_yield_sources: {
    call: [strategy, 'manageYieldSources(address[],address[],uint8[])', [[source], [zeroAddress], [2]]],
    after: { vault: { sources: [] } },
    changes: { [`oracle_of_${source}`]: [sourceOracle, null] },
  },
  propose_hooks_root: {
    call: [aggregator, 'proposeStrategyHooksRoot(address,bytes32)', [strategy, rootOf('a')]],
    after: hooksAre({ proposedStrategyRoot: pending(rootOf('a'), at + 900n) }),
    changes: { pending_hooks_root: [null, rootOf('a')] },
  },
  execute_hooks_root: {
    call: [aggregator, 'executeStrategyHooksRootUpdate(address)', [strategy]],
    before: hooksAre({ strategyRoot: rootOf('1'), proposedStrategyRoot: pending(rootOf('a')) }),
    after: hooksAre({ strategyRoot: rootOf('a') }),
    changes: { hooks_root: [rootOf('1'), rootOf('a')], pending_hooks_root: [rootOf('a'), null] },
  },
  ban_hook_leaves: {
    call: [
      aggregator,
      'changeGlobalLeavesStatus(bytes32[],bool[],address)',
      [[rootOf('b'), rootOf('c')], [true, true], strategy],
    ],
    before: { bannedLeaves: new Set([rootOf('c')]) },
    after: { bannedLeaves: new Set([rootOf('b'), rootOf('c')]) },
    changes: { [`banned_leaf_${rootOf('b')}`]: [false, true], [`banned_leaf_${rootOf('c')}`]: [true, true] },
  },
  allow_hook_leaves: {
    call: [aggregator, 'changeGlobalLeavesStatus(bytes32[],bool[],address)', [[rootOf('b')], [false], strategy]],
    before: { bannedLeaves: new Set([rootOf('b'), rootOf('c')]) },
    after: { bannedLeaves: new Set([rootOf('c')]) },
    changes: { [`banned_leaf_${rootOf('b')}`]: [true, false] },
  },
  // Ascending, whatever the order in which they were asked for.
  fulfil_redemptions: {
    call: [
      strategy,
      'fulfillRedeemRequests(address[],uint256[])',
      [
        [alice, bob],
        [11_000_000n, 11_000_000n],
      ],
    ],
    // One of them asked again meanwhile.
    after: { redemptions: [waiting(alice, { shares: 0n }), waiting(bob, { shares: 1n })] },
    changes: {
      [`waiting_shares_of_${alice}`]: ['10000000', '0'],
      [`waiting_shares_of_${bob}`]: ['10000000', '0'],
      free_assets: ['50000000', '28000000'],
    },
  },
  fulfil_cancellations: {
    call: [strategy, 'fulfillCancelRedeemRequests(address[])', [[bob]]],
    before: { redemptions: [waiting(bob, { isCancelled: true })] },
    after: { redemptions: [waiting(bob, { shares: 0n })] },
    changes: { [`waiting_shares_of_${bob}`]: ['10000000', '0'] },
  },
  // 10 bps of 110 USDC go to the fee recipient; the rest is worth 99.9 shares.
  deposit: {
    call: [vault, 'deposit(uint256,address)', [110_000_000n, primary]],
    after: positionIs({ assets: 890_000_000n, shares: 119_800_000n }),
    changes: { wallet_assets: ['1000000000', '890000000'], wallet_shares: ['20000000', '119900000'] },
  },
  request_redemption: {
    call: [vault, 'requestRedeem(uint256,address,address)', [15_000_000n, primary, primary]],
    after: positionIs({ shares: 5_000_000n, request: waiting(primary, { shares: 15_000_000n }) }),
    changes: { wallet_shares: ['20000000', '5000000'], waiting_shares: ['0', '15000000'] },
  },
  cancel_redemption: {
    call: [vault, 'cancelRedeemRequest(uint256,address)', [0n, primary]],
    before: positionIs({ request: waiting(primary) }),
    after: positionIs({ request: waiting(primary, { isCancelled: true }) }),
    changes: { is_cancelled: [false, true] },
  },
  claim_redemption: {
    call: [vault, 'withdraw(uint256,address,address)', [250_000_001n, primary, primary]],
    before: positionIs({ claimableAssets: 250_000_001n }),
    after: positionIs({ assets: 1_250_000_001n }),
    changes: { claimable_assets: ['250000001', '0'], wallet_assets: ['1000000000', '1250000001'] },
  },
  claim_cancelled_shares: {
    call: [vault, 'claimCancelRedeemRequest(uint256,address,address)', [0n, primary, primary]],
    before: positionIs({ claimableShares: 7_000_000n }),
    after: positionIs({ shares: 27_000_000n }),
    changes: { claimable_shares: ['7000000', '0'], wallet_shares: ['20000000', '27000000'] },
  },
};
