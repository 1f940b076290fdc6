import type { PreparedArgs, PreparedKind } from '@castellan/contracts';
import { maxUint256 } from 'viem';
import type { Change, Expected, Place } from './expected.ts';
import type { KnownFunction } from './known-calls.ts';
import { positionChanges } from './position-changes.ts';

/** One basis point of a threshold that the chain keeps as a fraction of 1e18. */
const THRESHOLD_PER_BPS = 10n ** 14n;

const text = (value: number | string | undefined): string | undefined =>
  value === undefined ? undefined : String(value);

const threshold = (bps: number | null | undefined): string | undefined => {
  if (bps === undefined) return undefined;
  return String(bps === null ? maxUint256 : BigInt(bps) * THRESHOLD_PER_BPS);
};

/** What an approval before a deposit of upkeep is of: the deposit, or more where that was asked for. */
const approvedUpkeep = (args: PreparedArgs<'deposit_upkeep'> | undefined): string | undefined =>
  args && [args.amount, args.allowance ?? '0'].reduce((most, each) => (BigInt(each) > BigInt(most) ? each : most));

const onStrategy = (name: KnownFunction, args: Expected['args'] = {}): Expected => ({
  function: name,
  target: 'strategy',
  args,
});

const onAggregator =
  (name: KnownFunction) =>
  (strategy: string, args: Expected['args'] = {}): Expected => ({
    function: name,
    target: 'aggregator',
    args: { strategy, ...args },
  });

/** One source goes by its own function, several by the other; both say the same. */
function sources(action: string, pairs: readonly { source_address: string; oracle_address?: string }[] | undefined) {
  const list = pairs?.map((pair) => pair.source_address);
  const oracles = pairs?.every((pair) => pair.oracle_address !== undefined)
    ? pairs.map((pair) => pair.oracle_address ?? '')
    : undefined;
  const many = onStrategy('manageYieldSources', { sources: list, oracles, actionTypes: { every: action } });
  if (list !== undefined && list.length !== 1) return [many];
  const single = { source: list?.[0], oracle: oracles?.[0], actionType: action };
  return [onStrategy('manageYieldSource', single), many];
}

const leaves = (status: string) => (strategy: string, args: { leaves: readonly string[] } | undefined) =>
  onAggregator('changeGlobalLeavesStatus')(strategy, {
    leaves: args && [...new Set(args.leaves)],
    statuses: { every: status },
  });

/** As the contract wants them: ascending, each once. */
const ascending = (wallets: readonly string[] | undefined): string[] | undefined =>
  wallets && [...new Set(wallets)].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));

/** Every change that can be prepared and signed. */
export const changes: Readonly<{ [K in PreparedKind]: Change<K> }> = {
  add_secondary_manager: {
    title: 'Add a secondary manager',
    method: 'prepareAddSecondaryManager',
    calls: (strategy, args) => [onAggregator('addSecondaryManager')(strategy, { manager: args?.manager_address })],
  },
  remove_secondary_manager: {
    title: 'Remove a secondary manager',
    method: 'prepareRemoveSecondaryManager',
    calls: (strategy, args) => [onAggregator('removeSecondaryManager')(strategy, { manager: args?.manager_address })],
  },
  cancel_primary_change: {
    title: 'Cancel the change of the primary manager',
    method: 'prepareCancelPrimaryChange',
    calls: (strategy) => [onAggregator('cancelChangePrimaryManager')(strategy)],
  },
  propose_fees: {
    title: 'Propose fees',
    method: 'prepareProposeFees',
    calls: (_, args) => [
      onStrategy('proposeVaultFeeConfigUpdate', {
        performanceFeeBps: text(args?.performance_fee_bps),
        managementFeeBps: text(args?.management_fee_bps),
        recipient: args?.recipient,
      }),
    ],
  },
  execute_fees: {
    title: 'Put fees into force',
    method: 'prepareExecuteFees',
    calls: () => [onStrategy('executeVaultFeeConfigUpdate')],
  },
  skim_fees: {
    title: 'Skim the performance fee',
    method: 'prepareSkimFees',
    calls: () => [onStrategy('skimPerformanceFee')],
  },
  set_deviation_threshold: {
    title: 'Set the deviation guard',
    method: 'prepareDeviationThreshold',
    calls: (strategy, args) => [
      onAggregator('updateDeviationThreshold')(strategy, {
        deviationThreshold_: threshold(args?.deviation_threshold_bps),
      }),
    ],
  },
  propose_expiration: {
    title: 'Propose the expiration of prices',
    method: 'prepareProposeExpiration',
    calls: (_, args) => [
      onStrategy('managePPSExpiration', { action: '0', ppsExpiration: text(args?.expiration_seconds) }),
    ],
  },
  execute_expiration: {
    title: 'Put the expiration of prices into force',
    method: 'prepareExecuteExpiration',
    calls: () => [onStrategy('managePPSExpiration', { action: '1', ppsExpiration: undefined })],
  },
  cancel_expiration: {
    title: 'Cancel the proposed expiration of prices',
    method: 'prepareCancelExpiration',
    calls: () => [onStrategy('managePPSExpiration', { action: '2', ppsExpiration: undefined })],
  },
  propose_min_update_interval: {
    title: 'Propose the interval between prices',
    method: 'prepareProposeMinUpdateInterval',
    calls: (strategy, args) => [
      onAggregator('proposeMinUpdateIntervalChange')(strategy, {
        newMinUpdateInterval: text(args?.min_update_interval_seconds),
      }),
    ],
  },
  execute_min_update_interval: {
    title: 'Put the interval between prices into force',
    method: 'prepareExecuteMinUpdateInterval',
    calls: (strategy) => [onAggregator('executeMinUpdateIntervalChange')(strategy)],
  },
  cancel_min_update_interval: {
    title: 'Cancel the proposed interval between prices',
    method: 'prepareCancelMinUpdateInterval',
    calls: (strategy) => [onAggregator('cancelMinUpdateIntervalChange')(strategy)],
  },
  deposit_upkeep: {
    title: 'Deposit upkeep',
    method: 'prepareDepositUpkeep',
    calls: (strategy, args) => [
      // To whom is checked against the deposit that follows it.
      { function: 'approve', target: 'upkeep_token', args: { spender: undefined, value: approvedUpkeep(args) } },
      onAggregator('depositUpkeep')(strategy, { amount: args?.amount }),
    ],
  },
  propose_upkeep_withdrawal: {
    title: 'Propose to withdraw upkeep',
    method: 'prepareProposeUpkeepWithdrawal',
    calls: (strategy) => [onAggregator('proposeWithdrawUpkeep')(strategy)],
  },
  execute_upkeep_withdrawal: {
    title: 'Withdraw upkeep',
    method: 'prepareExecuteUpkeepWithdrawal',
    calls: (strategy) => [onAggregator('executeWithdrawUpkeep')(strategy)],
  },
  pause: {
    title: 'Pause the vault',
    method: 'preparePause',
    calls: (strategy) => [onAggregator('pauseStrategy')(strategy)],
  },
  unpause: {
    title: 'Unpause the vault',
    method: 'prepareUnpause',
    calls: (strategy) => [onAggregator('unpauseStrategy')(strategy)],
  },
  add_yield_sources: {
    title: 'Add yield sources',
    method: 'prepareBulkAddYieldSources',
    calls: (_, args) => sources('0', args?.sources),
  },
  update_yield_source_oracles: {
    title: 'Change oracles of yield sources',
    method: 'prepareBulkUpdateYieldSourceOracles',
    calls: (_, args) => sources('1', args?.sources),
  },
  remove_yield_sources: {
    title: 'Remove yield sources',
    method: 'prepareBulkRemoveYieldSources',
    calls: (_, args) => sources('2', args?.sources),
  },
  propose_hooks_root: {
    title: 'Propose a hooks root',
    method: 'prepareProposeHooksRoot',
    calls: (strategy, args) => [onAggregator('proposeStrategyHooksRoot')(strategy, { newRoot: args?.root })],
  },
  execute_hooks_root: {
    title: 'Put the hooks root into force',
    method: 'prepareExecuteHooksRoot',
    calls: (strategy) => [onAggregator('executeStrategyHooksRootUpdate')(strategy)],
  },
  ban_hook_leaves: {
    title: 'Ban leaves of the global root',
    method: 'prepareBanHookLeaves',
    calls: (strategy, args) => [leaves('true')(strategy, args)],
  },
  allow_hook_leaves: {
    title: 'Allow banned leaves again',
    method: 'prepareAllowHookLeaves',
    calls: (strategy, args) => [leaves('false')(strategy, args)],
  },
  fulfil_redemptions: {
    title: 'Fulfil redemptions',
    method: 'prepareFulfilRedemptions',
    // How much is paid follows from the price, and the chain takes nothing below what each wallet accepts.
    calls: (_, args) => [
      onStrategy('fulfillRedeemRequests', { controllers: ascending(args?.controllers), totalAssetsOut: undefined }),
    ],
  },
  fulfil_cancellations: {
    title: 'Give cancelled shares back',
    method: 'prepareFulfilCancellations',
    calls: (_, args) => [onStrategy('fulfillCancelRedeemRequests', { controllers: ascending(args?.controllers) })],
  },
  ...positionChanges,
};

/** The calls that make up a change; without `args`, what any change of its kind must be. */
export const expectedOf = ({
  kind,
  strategy,
  args,
}: Place & { kind: PreparedKind; args?: unknown }): readonly Expected[] =>
  (changes[kind].calls as (strategy: string, args: unknown) => readonly Expected[])(strategy, args);
