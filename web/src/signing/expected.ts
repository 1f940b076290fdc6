import type { PreparedArgs, PreparedKind } from '@castellan/contracts';
import { maxUint256 } from 'viem';
import type { KnownFunction } from './known-calls.ts';

/** Where a change is to happen, as the page knows it without the call. */
export type Place = {
  chainId: number;
  vault: string;
  strategy: string;
  /** What an approval may be given on; absent where the page does not know it. */
  upkeepToken?: string | null;
};

/** A change with what the person entered for it. */
export type Asked = { [K in PreparedKind]: { kind: K; args: PreparedArgs<K> } }[PreparedKind];
export type Intent = Place & Asked;

/** What an argument has to be: `undefined` where the chain takes no notice of it or nothing was entered. */
export type Wanted = string | readonly string[] | { every: string } | undefined;
export type Target = 'strategy' | 'aggregator' | 'token';
export type Expected = { function: KnownFunction; target: Target; args: Readonly<Record<string, Wanted>> };

/** One basis point of a threshold that the chain keeps as a fraction of 1e18. */
const THRESHOLD_PER_BPS = 10n ** 14n;

const text = (value: number | string | undefined): string | undefined =>
  value === undefined ? undefined : String(value);

const threshold = (bps: number | null | undefined): string | undefined => {
  if (bps === undefined) return undefined;
  return String(bps === null ? maxUint256 : BigInt(bps) * THRESHOLD_PER_BPS);
};

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

type Expectations = {
  [K in PreparedKind]: (strategy: string, args: PreparedArgs<K> | undefined) => readonly Expected[];
};

/** The calls each kind of change is made of. Without arguments, what every such change has in common. */
const expectations: Expectations = {
  add_secondary_manager: (strategy, args) => [
    onAggregator('addSecondaryManager')(strategy, { manager: args?.manager_address }),
  ],
  remove_secondary_manager: (strategy, args) => [
    onAggregator('removeSecondaryManager')(strategy, { manager: args?.manager_address }),
  ],
  cancel_primary_change: (strategy) => [onAggregator('cancelChangePrimaryManager')(strategy)],
  propose_fees: (_, args) => [
    onStrategy('proposeVaultFeeConfigUpdate', {
      performanceFeeBps: text(args?.performance_fee_bps),
      managementFeeBps: text(args?.management_fee_bps),
      recipient: args?.recipient,
    }),
  ],
  execute_fees: () => [onStrategy('executeVaultFeeConfigUpdate')],
  skim_fees: () => [onStrategy('skimPerformanceFee')],
  set_deviation_threshold: (strategy, args) => [
    onAggregator('updateDeviationThreshold')(strategy, {
      deviationThreshold_: threshold(args?.deviation_threshold_bps),
    }),
  ],
  propose_expiration: (_, args) => [
    onStrategy('managePPSExpiration', { action: '0', ppsExpiration: text(args?.expiration_seconds) }),
  ],
  execute_expiration: () => [onStrategy('managePPSExpiration', { action: '1', ppsExpiration: undefined })],
  cancel_expiration: () => [onStrategy('managePPSExpiration', { action: '2', ppsExpiration: undefined })],
  propose_min_update_interval: (strategy, args) => [
    onAggregator('proposeMinUpdateIntervalChange')(strategy, {
      newMinUpdateInterval: text(args?.min_update_interval_seconds),
    }),
  ],
  execute_min_update_interval: (strategy) => [onAggregator('executeMinUpdateIntervalChange')(strategy)],
  cancel_min_update_interval: (strategy) => [onAggregator('cancelMinUpdateIntervalChange')(strategy)],
  deposit_upkeep: (strategy, args) => [
    // To whom is checked against the deposit that follows it.
    { function: 'approve', target: 'token', args: { spender: undefined, value: args?.amount } },
    onAggregator('depositUpkeep')(strategy, { amount: args?.amount }),
  ],
  propose_upkeep_withdrawal: (strategy) => [onAggregator('proposeWithdrawUpkeep')(strategy)],
  execute_upkeep_withdrawal: (strategy) => [onAggregator('executeWithdrawUpkeep')(strategy)],
  pause: (strategy) => [onAggregator('pauseStrategy')(strategy)],
  unpause: (strategy) => [onAggregator('unpauseStrategy')(strategy)],
  add_yield_sources: (_, args) => sources('0', args?.sources),
  update_yield_source_oracles: (_, args) => sources('1', args?.sources),
  remove_yield_sources: (_, args) => sources('2', args?.sources),
  propose_hooks_root: (strategy, args) => [onAggregator('proposeStrategyHooksRoot')(strategy, { newRoot: args?.root })],
  execute_hooks_root: (strategy) => [onAggregator('executeStrategyHooksRootUpdate')(strategy)],
  ban_hook_leaves: (strategy, args) => [leaves('true')(strategy, args)],
  allow_hook_leaves: (strategy, args) => [leaves('false')(strategy, args)],
};

/** The calls that make up a change; without `args`, what any change of its kind must be. */
export const expectedOf = ({ kind, strategy, args }: Place & { kind: PreparedKind; args?: unknown }) =>
  (expectations[kind] as (strategy: string, args: unknown) => readonly Expected[])(strategy, args);
