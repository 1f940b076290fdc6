import { z } from 'zod';
import { Address, ChainIdParam, LimitParam, TxHash } from '../primitives.ts';
import { route } from '../route.ts';
import { hookPrepares } from './hook-routes.ts';
import { bodyOf, single, stepped, vault } from './prepare-route.ts';
import { BroadcastPrepared, GetPrepared, ListPrepared, PreparedResource, PreparedState } from './prepared-call.ts';

const none = z.strictObject({});
const truth = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true');

const one = (rest: Record<string, unknown>) => ({ sources: [rest] });
const pairing = z.strictObject({ ...vault, source_address: Address, oracle_address: Address });

/** Routes that prepare calls and follow them. */
export const prepared = {
  prepareAddSecondaryManager: single({
    id: 'prepareAddSecondaryManager',
    kind: 'add_secondary_manager',
    path: '/users/secondary-manager/prepare',
    body: bodyOf('add_secondary_manager'),
  }),
  prepareRemoveSecondaryManager: single({
    id: 'prepareRemoveSecondaryManager',
    kind: 'remove_secondary_manager',
    path: '/users/secondary-manager/remove/prepare',
    body: bodyOf('remove_secondary_manager'),
  }),
  prepareCancelPrimaryChange: single({
    id: 'prepareCancelPrimaryChange',
    kind: 'cancel_primary_change',
    path: '/users/primary-manager/cancel/prepare',
    body: bodyOf('cancel_primary_change'),
  }),
  prepareProposeFees: single({
    id: 'prepareProposeFees',
    kind: 'propose_fees',
    path: '/settings/fees/propose/prepare',
    body: bodyOf('propose_fees'),
  }),
  prepareExecuteFees: single({
    id: 'prepareExecuteFees',
    kind: 'execute_fees',
    path: '/settings/fees/execute/prepare',
    body: bodyOf('execute_fees'),
  }),
  prepareSkimFees: single({
    id: 'prepareSkimFees',
    kind: 'skim_fees',
    path: '/settings/fees/skim/prepare',
    body: bodyOf('skim_fees'),
  }),
  prepareDeviationThreshold: single({
    id: 'prepareDeviationThreshold',
    kind: 'set_deviation_threshold',
    path: '/settings/pps/deviation-threshold/prepare',
    body: bodyOf('set_deviation_threshold'),
  }),
  prepareProposeExpiration: single({
    id: 'prepareProposeExpiration',
    kind: 'propose_expiration',
    path: '/settings/pps/expiration/propose/prepare',
    body: bodyOf('propose_expiration'),
  }),
  prepareExecuteExpiration: single({
    id: 'prepareExecuteExpiration',
    kind: 'execute_expiration',
    path: '/settings/pps/expiration/execute/prepare',
    body: bodyOf('execute_expiration'),
  }),
  prepareCancelExpiration: single({
    id: 'prepareCancelExpiration',
    kind: 'cancel_expiration',
    path: '/settings/pps/expiration/cancel/prepare',
    body: bodyOf('cancel_expiration'),
  }),
  prepareProposeMinUpdateInterval: single({
    id: 'prepareProposeMinUpdateInterval',
    kind: 'propose_min_update_interval',
    path: '/settings/pps/min-update-interval/propose/prepare',
    body: bodyOf('propose_min_update_interval'),
  }),
  prepareExecuteMinUpdateInterval: single({
    id: 'prepareExecuteMinUpdateInterval',
    kind: 'execute_min_update_interval',
    path: '/settings/pps/min-update-interval/execute/prepare',
    body: bodyOf('execute_min_update_interval'),
  }),
  prepareCancelMinUpdateInterval: single({
    id: 'prepareCancelMinUpdateInterval',
    kind: 'cancel_min_update_interval',
    path: '/settings/pps/min-update-interval/cancel/prepare',
    body: bodyOf('cancel_min_update_interval'),
  }),
  prepareDepositUpkeep: stepped({
    id: 'prepareDepositUpkeep',
    kind: 'deposit_upkeep',
    path: '/settings/upkeep/deposit',
    body: bodyOf('deposit_upkeep'),
  }),
  prepareProposeUpkeepWithdrawal: stepped({
    id: 'prepareProposeUpkeepWithdrawal',
    kind: 'propose_upkeep_withdrawal',
    path: '/settings/upkeep/withdraw/propose',
    body: bodyOf('propose_upkeep_withdrawal'),
  }),
  prepareExecuteUpkeepWithdrawal: stepped({
    id: 'prepareExecuteUpkeepWithdrawal',
    kind: 'execute_upkeep_withdrawal',
    path: '/settings/upkeep/withdraw/execute',
    body: bodyOf('execute_upkeep_withdrawal'),
  }),
  preparePause: single({
    id: 'preparePause',
    kind: 'pause',
    path: '/vaults/emergency-pause/prepare',
    body: bodyOf('pause'),
  }),
  prepareUnpause: single({
    id: 'prepareUnpause',
    kind: 'unpause',
    path: '/vaults/emergency-unpause/prepare',
    body: bodyOf('unpause'),
  }),
  prepareAddYieldSource: single({
    id: 'prepareAddYieldSource',
    kind: 'add_yield_sources',
    path: '/yield-sources/prepare-add',
    body: pairing,
    args: one,
  }),
  prepareUpdateYieldSourceOracle: single({
    id: 'prepareUpdateYieldSourceOracle',
    kind: 'update_yield_source_oracles',
    path: '/yield-sources/prepare-update-oracle',
    body: pairing,
    args: one,
  }),
  prepareRemoveYieldSource: single({
    id: 'prepareRemoveYieldSource',
    kind: 'remove_yield_sources',
    path: '/yield-sources/prepare-remove',
    body: z.strictObject({ ...vault, source_address: Address }),
    args: one,
  }),
  prepareBulkAddYieldSources: single({
    id: 'prepareBulkAddYieldSources',
    kind: 'add_yield_sources',
    path: '/yield-sources/prepare-bulk-add',
    body: bodyOf('add_yield_sources'),
  }),
  prepareBulkUpdateYieldSourceOracles: single({
    id: 'prepareBulkUpdateYieldSourceOracles',
    kind: 'update_yield_source_oracles',
    path: '/yield-sources/prepare-bulk-update-oracle',
    body: bodyOf('update_yield_source_oracles'),
  }),
  prepareBulkRemoveYieldSources: single({
    id: 'prepareBulkRemoveYieldSources',
    kind: 'remove_yield_sources',
    path: '/yield-sources/prepare-bulk-remove',
    body: bodyOf('remove_yield_sources'),
  }),
  ...hookPrepares,
  listPrepared: route({
    id: 'listPrepared',
    method: 'GET',
    path: '/api/v1/prepared',
    auth: 'bearer',
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
    action: ListPrepared,
    cache: 'etag',
  }),
  getPrepared: route({
    id: 'getPrepared',
    method: 'GET',
    path: '/api/v1/prepared/{id}',
    auth: 'bearer',
    openToBoundTokens: true,
    params: z.strictObject({ id: z.string().min(1).max(100) }),
    query: z.strictObject({ recheck: truth }),
    body: undefined,
    result: PreparedResource,
    action: GetPrepared,
    cache: 'etag',
  }),
  broadcastPrepared: route({
    id: 'broadcastPrepared',
    method: 'POST',
    path: '/api/v1/prepared/{id}/broadcast',
    auth: 'bearer',
    rate: 'prepare',
    openToBoundTokens: true,
    params: z.strictObject({ id: z.string().min(1).max(100) }),
    query: none,
    body: z.strictObject({ tx_hash: TxHash }),
    result: PreparedResource,
    action: BroadcastPrepared,
  }),
};
