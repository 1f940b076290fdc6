import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { Address, ChainId, ChainIdParam, LimitParam, TxHash } from '../primitives.ts';
import { route } from '../route.ts';
import { type PreparedKind, preparedArgs } from './kinds.ts';
import {
  BroadcastPrepared,
  GetPrepared,
  ListPrepared,
  PrepareChange,
  PreparedCall,
  PreparedResource,
  PreparedState,
} from './prepared-call.ts';

const none = z.strictObject({});
const vault = { vault_address: Address, chain_id: ChainId };
const truth = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true');

/** What every prepare may answer besides the refusals of its own call. */
const refusals = ['ROLE_REQUIRED', 'STEP_UP_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'WOULD_REVERT'] as const;

type Body = { vault_address: string; chain_id: number; [arg: string]: unknown };
type Options<K extends PreparedKind, B extends z.ZodType> = {
  id: string;
  kind: K;
  path: string;
  tag: string;
  summary: string;
  body: B;
  refusals: readonly ErrorCode[];
  /** The arguments in the body; by default what is left of it without the vault. */
  args?: (rest: Record<string, unknown>) => unknown;
};

const parts = <K extends PreparedKind, B extends z.ZodType>(options: Options<K, B>) => ({
  id: options.id,
  method: 'POST' as const,
  path: `/api/v1${options.path}`,
  auth: 'bearer' as const,
  rate: 'prepare' as const,
  tag: options.tag,
  summary: options.summary,
  params: none,
  query: z.strictObject({ force: truth }),
  body: options.body,
  errors: [...refusals, ...options.refusals],
  action: PrepareChange,
  toParams: ({
    query,
    body,
  }: {
    query: Readonly<Record<string, unknown>>;
    body: Readonly<Record<string, unknown>>;
  }) => {
    const { chain_id, vault_address, ...rest } = body as Body;
    const args = options.args ? options.args(rest) : rest;
    return { kind: options.kind, chain_id, vault_address, force: query.force, args };
  },
});

/** A change of one transaction. */
const single = <K extends PreparedKind, B extends z.ZodType>(options: Options<K, B>) =>
  route({
    ...parts(options),
    result: PreparedCall,
    toAnswer: ({ steps }: { steps: unknown[] }) => ({ status: 200, body: steps[0] }),
  });

/** A change that may take several transactions: `{ "steps": [...] }`. */
const stepped = <K extends PreparedKind, B extends z.ZodType>(options: Options<K, B>) =>
  route({ ...parts(options), result: PrepareChange.result });

/** The body of a kind: its vault, and its arguments beside it. */
const bodyOf = <K extends PreparedKind>(kind: K) =>
  z.strictObject({ ...vault, ...(preparedArgs[kind].shape as (typeof preparedArgs)[K]['shape']) });

const one = (rest: Record<string, unknown>) => ({ sources: [rest] });
const pairing = z.strictObject({ ...vault, source_address: Address, oracle_address: Address });

export const prepared = {
  prepareAddSecondaryManager: single({
    id: 'prepareAddSecondaryManager',
    kind: 'add_secondary_manager',
    path: '/users/secondary-manager/prepare',
    tag: 'users',
    summary: 'Calldata that adds a secondary manager',
    body: bodyOf('add_secondary_manager'),
    refusals: [
      'UNAUTHORIZED_UPDATE_AUTHORITY',
      'ZERO_ADDRESS',
      'SECONDARY_MANAGER_CANNOT_BE_PRIMARY',
      'MANAGER_ALREADY_EXISTS',
      'TOO_MANY_SECONDARY_MANAGERS',
    ],
  }),
  prepareRemoveSecondaryManager: single({
    id: 'prepareRemoveSecondaryManager',
    kind: 'remove_secondary_manager',
    path: '/users/secondary-manager/remove/prepare',
    tag: 'users',
    summary: 'Calldata that removes a secondary manager',
    body: bodyOf('remove_secondary_manager'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY', 'MANAGER_NOT_FOUND'],
  }),
  prepareCancelPrimaryChange: single({
    id: 'prepareCancelPrimaryChange',
    kind: 'cancel_primary_change',
    path: '/users/primary-manager/cancel/prepare',
    tag: 'users',
    summary: 'Calldata that cancels a proposed change of the primary manager',
    body: bodyOf('cancel_primary_change'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY', 'NO_PENDING_MANAGER_CHANGE'],
  }),
  prepareProposeFees: single({
    id: 'prepareProposeFees',
    kind: 'propose_fees',
    path: '/settings/fees/propose/prepare',
    tag: 'settings',
    summary: 'Calldata that proposes fees; they may be executed a week later',
    body: bodyOf('propose_fees'),
    refusals: ['MANAGER_NOT_AUTHORIZED', 'ZERO_ADDRESS', 'INVALID_PERFORMANCE_FEE_BPS'],
  }),
  prepareExecuteFees: single({
    id: 'prepareExecuteFees',
    kind: 'execute_fees',
    path: '/settings/fees/execute/prepare',
    tag: 'settings',
    summary: 'Calldata that puts proposed fees into force and resets the high-water mark to the current price',
    body: bodyOf('execute_fees'),
    refusals: ['MANAGER_NOT_AUTHORIZED', 'NO_PROPOSAL', 'INVALID_TIMESTAMP'],
  }),
  prepareSkimFees: single({
    id: 'prepareSkimFees',
    kind: 'skim_fees',
    path: '/settings/fees/skim/prepare',
    tag: 'settings',
    summary: 'Calldata that takes the performance fee on growth above the high-water mark',
    body: bodyOf('skim_fees'),
    refusals: [
      'MANAGER_NOT_AUTHORIZED',
      'STRATEGY_PAUSED',
      'STALE_PPS',
      'PPS_EXPIRED',
      'SKIM_TIMELOCK_ACTIVE',
      'NOT_ENOUGH_FREE_ASSETS_FEE_SKIM',
      'NOTHING_TO_SKIM',
    ],
  }),
  prepareDeviationThreshold: single({
    id: 'prepareDeviationThreshold',
    kind: 'set_deviation_threshold',
    path: '/settings/pps/deviation-threshold/prepare',
    tag: 'settings',
    summary: 'Calldata that sets how far a price may jump before the vault pauses itself; null switches the guard off',
    body: bodyOf('set_deviation_threshold'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY'],
  }),
  prepareProposeExpiration: single({
    id: 'prepareProposeExpiration',
    kind: 'propose_expiration',
    path: '/settings/pps/expiration/propose/prepare',
    tag: 'settings',
    summary: 'Calldata that proposes for how long a price may be used',
    body: bodyOf('propose_expiration'),
    refusals: ['MANAGER_NOT_AUTHORIZED', 'INVALID_PPS_EXPIRY_THRESHOLD'],
  }),
  prepareExecuteExpiration: single({
    id: 'prepareExecuteExpiration',
    kind: 'execute_expiration',
    path: '/settings/pps/expiration/execute/prepare',
    tag: 'settings',
    summary: 'Calldata that puts the proposed expiration into force',
    body: bodyOf('execute_expiration'),
    refusals: ['MANAGER_NOT_AUTHORIZED', 'NO_PROPOSAL', 'INVALID_TIMESTAMP'],
  }),
  prepareCancelExpiration: single({
    id: 'prepareCancelExpiration',
    kind: 'cancel_expiration',
    path: '/settings/pps/expiration/cancel/prepare',
    tag: 'settings',
    summary: 'Calldata that drops the proposed expiration',
    body: bodyOf('cancel_expiration'),
    refusals: ['MANAGER_NOT_AUTHORIZED', 'NO_PROPOSAL'],
  }),
  prepareProposeMinUpdateInterval: single({
    id: 'prepareProposeMinUpdateInterval',
    kind: 'propose_min_update_interval',
    path: '/settings/pps/min-update-interval/propose/prepare',
    tag: 'settings',
    summary: 'Calldata that proposes the least time between two prices',
    body: bodyOf('propose_min_update_interval'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY', 'MIN_UPDATE_INTERVAL_TOO_HIGH'],
  }),
  prepareExecuteMinUpdateInterval: single({
    id: 'prepareExecuteMinUpdateInterval',
    kind: 'execute_min_update_interval',
    path: '/settings/pps/min-update-interval/execute/prepare',
    tag: 'settings',
    summary: 'Calldata that puts the proposed interval into force',
    body: bodyOf('execute_min_update_interval'),
    refusals: ['NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE', 'TIMELOCK_NOT_EXPIRED'],
  }),
  prepareCancelMinUpdateInterval: single({
    id: 'prepareCancelMinUpdateInterval',
    kind: 'cancel_min_update_interval',
    path: '/settings/pps/min-update-interval/cancel/prepare',
    tag: 'settings',
    summary: 'Calldata that drops the proposed interval',
    body: bodyOf('cancel_min_update_interval'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY', 'NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE'],
  }),
  prepareDepositUpkeep: stepped({
    id: 'prepareDepositUpkeep',
    kind: 'deposit_upkeep',
    path: '/settings/upkeep/deposit',
    tag: 'settings',
    summary: 'Calldata that pays upkeep for the vault; an approval comes first when the allowance is short',
    body: bodyOf('deposit_upkeep'),
    refusals: ['ZERO_AMOUNT', 'ERC20InsufficientBalance', 'ERC20InsufficientAllowance'],
  }),
  prepareProposeUpkeepWithdrawal: stepped({
    id: 'prepareProposeUpkeepWithdrawal',
    kind: 'propose_upkeep_withdrawal',
    path: '/settings/upkeep/withdraw/propose',
    tag: 'settings',
    summary: 'Calldata that proposes to withdraw all upkeep a day later',
    body: bodyOf('propose_upkeep_withdrawal'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY', 'ZERO_AMOUNT'],
  }),
  prepareExecuteUpkeepWithdrawal: stepped({
    id: 'prepareExecuteUpkeepWithdrawal',
    kind: 'execute_upkeep_withdrawal',
    path: '/settings/upkeep/withdraw/execute',
    tag: 'settings',
    summary: 'Calldata that pays a matured withdrawal to the primary manager',
    body: bodyOf('execute_upkeep_withdrawal'),
    refusals: ['UPKEEP_WITHDRAWAL_NOT_FOUND', 'UPKEEP_WITHDRAWAL_NOT_READY'],
  }),
  preparePause: single({
    id: 'preparePause',
    kind: 'pause',
    path: '/vaults/emergency-pause/prepare',
    tag: 'settings',
    summary: 'Calldata that stops deposits, redemptions, skims and prices of the vault',
    body: bodyOf('pause'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY', 'STRATEGY_ALREADY_PAUSED'],
  }),
  prepareUnpause: single({
    id: 'prepareUnpause',
    kind: 'unpause',
    path: '/vaults/emergency-unpause/prepare',
    tag: 'settings',
    summary: 'Calldata that releases a paused vault; it works again with its next price',
    body: bodyOf('unpause'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY', 'STRATEGY_NOT_PAUSED'],
  }),
  prepareAddYieldSource: single({
    id: 'prepareAddYieldSource',
    kind: 'add_yield_sources',
    path: '/yield-sources/prepare-add',
    tag: 'yield sources',
    summary: 'Calldata that adds a yield source with its oracle',
    body: pairing,
    args: one,
    refusals: ['MANAGER_NOT_AUTHORIZED', 'ZERO_ADDRESS', 'YIELD_SOURCE_ALREADY_EXISTS', 'ORACLE_UNFIT'],
  }),
  prepareUpdateYieldSourceOracle: single({
    id: 'prepareUpdateYieldSourceOracle',
    kind: 'update_yield_source_oracles',
    path: '/yield-sources/prepare-update-oracle',
    tag: 'yield sources',
    summary: "Calldata that changes a yield source's oracle",
    body: pairing,
    args: one,
    refusals: ['MANAGER_NOT_AUTHORIZED', 'ZERO_ADDRESS', 'YIELD_SOURCE_NOT_FOUND', 'ORACLE_UNFIT'],
  }),
  prepareRemoveYieldSource: single({
    id: 'prepareRemoveYieldSource',
    kind: 'remove_yield_sources',
    path: '/yield-sources/prepare-remove',
    tag: 'yield sources',
    summary: 'Calldata that takes a yield source off the list; what the vault holds in it stays there, uncounted',
    body: z.strictObject({ ...vault, source_address: Address }),
    args: one,
    refusals: ['MANAGER_NOT_AUTHORIZED', 'ZERO_ADDRESS', 'YIELD_SOURCE_NOT_FOUND', 'YIELD_SOURCE_FUNDED'],
  }),
  prepareBulkAddYieldSources: single({
    id: 'prepareBulkAddYieldSources',
    kind: 'add_yield_sources',
    path: '/yield-sources/prepare-bulk-add',
    tag: 'yield sources',
    summary: 'Calldata that adds up to 50 yield sources at once',
    body: bodyOf('add_yield_sources'),
    refusals: ['MANAGER_NOT_AUTHORIZED', 'ZERO_ADDRESS', 'YIELD_SOURCE_ALREADY_EXISTS', 'ORACLE_UNFIT'],
  }),
  prepareBulkUpdateYieldSourceOracles: single({
    id: 'prepareBulkUpdateYieldSourceOracles',
    kind: 'update_yield_source_oracles',
    path: '/yield-sources/prepare-bulk-update-oracle',
    tag: 'yield sources',
    summary: 'Calldata that changes the oracles of up to 50 yield sources',
    body: bodyOf('update_yield_source_oracles'),
    refusals: ['MANAGER_NOT_AUTHORIZED', 'ZERO_ADDRESS', 'YIELD_SOURCE_NOT_FOUND', 'ORACLE_UNFIT'],
  }),
  prepareBulkRemoveYieldSources: single({
    id: 'prepareBulkRemoveYieldSources',
    kind: 'remove_yield_sources',
    path: '/yield-sources/prepare-bulk-remove',
    tag: 'yield sources',
    summary: 'Calldata that takes up to 50 yield sources off the list',
    body: bodyOf('remove_yield_sources'),
    refusals: ['MANAGER_NOT_AUTHORIZED', 'ZERO_ADDRESS', 'YIELD_SOURCE_NOT_FOUND', 'YIELD_SOURCE_FUNDED'],
  }),
  prepareProposeHooksRoot: single({
    id: 'prepareProposeHooksRoot',
    kind: 'propose_hooks_root',
    path: '/merkle/roots/propose/prepare',
    tag: 'merkle',
    summary: "Calldata that proposes the root of one of the vault's trees; it may be executed after the timelock",
    body: bodyOf('propose_hooks_root'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY', 'HOOKS_TREE_UNKNOWN', 'HOOKS_ROOT_UNCHANGED'],
  }),
  prepareExecuteHooksRoot: single({
    id: 'prepareExecuteHooksRoot',
    kind: 'execute_hooks_root',
    path: '/merkle/roots/execute/prepare',
    tag: 'merkle',
    summary: 'Calldata that puts the proposed hooks root into force',
    body: bodyOf('execute_hooks_root'),
    refusals: ['NO_PENDING_MANAGER_CHANGE', 'ROOT_UPDATE_NOT_READY'],
  }),
  prepareBanHookLeaves: single({
    id: 'prepareBanHookLeaves',
    kind: 'ban_hook_leaves',
    path: '/merkle/leaves/ban/prepare',
    tag: 'merkle',
    summary: 'Calldata that bans up to 100 leaves of the global root for this vault',
    body: bodyOf('ban_hook_leaves'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY', 'LEAVES_UNCHANGED'],
  }),
  prepareAllowHookLeaves: single({
    id: 'prepareAllowHookLeaves',
    kind: 'allow_hook_leaves',
    path: '/merkle/leaves/allow/prepare',
    tag: 'merkle',
    summary: 'Calldata that allows banned leaves of the global root to this vault again',
    body: bodyOf('allow_hook_leaves'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY', 'LEAVES_UNCHANGED'],
  }),
  listPrepared: route({
    id: 'listPrepared',
    method: 'GET',
    path: '/api/v1/prepared',
    auth: 'bearer',
    tag: 'prepared calls',
    summary: 'Calls prepared for a vault, newest first',
    params: none,
    query: z.strictObject({
      vault_address: Address,
      chain_id: ChainIdParam,
      status: PreparedState.optional(),
      limit: LimitParam.optional(),
      cursor: z.string().max(500).optional(),
    }),
    body: undefined,
    result: ListPrepared.result,
    errors: ['ROLE_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'CURSOR_INVALID'],
    action: ListPrepared,
    cache: 'etag',
  }),
  getPrepared: route({
    id: 'getPrepared',
    method: 'GET',
    path: '/api/v1/prepared/{id}',
    auth: 'bearer',
    tag: 'prepared calls',
    summary: 'One prepared call and what became of it; ?recheck=true simulates it again',
    params: z.strictObject({ id: z.string().min(1).max(100) }),
    query: z.strictObject({ recheck: truth }),
    body: undefined,
    result: PreparedResource,
    errors: ['ROLE_REQUIRED', 'PREPARED_NOT_FOUND', 'RPC_UNAVAILABLE'],
    action: GetPrepared,
    cache: 'etag',
  }),
  broadcastPrepared: route({
    id: 'broadcastPrepared',
    method: 'POST',
    path: '/api/v1/prepared/{id}/broadcast',
    auth: 'bearer',
    rate: 'prepare',
    tag: 'prepared calls',
    summary: 'Tell which transaction carries a prepared call, so that it is followed',
    params: z.strictObject({ id: z.string().min(1).max(100) }),
    query: none,
    body: z.strictObject({ tx_hash: TxHash }),
    result: PreparedResource,
    errors: ['ROLE_REQUIRED', 'PREPARED_NOT_FOUND', 'PREPARED_EXPIRED', 'ALREADY_BROADCAST', 'TRANSACTION_MISMATCH'],
    action: BroadcastPrepared,
  }),
};
