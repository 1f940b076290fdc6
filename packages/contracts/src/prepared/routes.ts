import { z } from 'zod';
import { Address, ChainIdParam, CursorParam, LimitParam, TxHash } from '../primitives.ts';
import { route } from '../route.ts';
import { depositorPrepares } from './depositor-routes.ts';
import { hookPrepares } from './hook-routes.ts';
import { bodyOf, single, stepped, VaultInBody, vault } from './prepare-route.ts';
import { BroadcastPrepared, GetPrepared, ListPrepared, PreparedResource, PreparedState } from './prepared-call.ts';
import { redemptionPrepares } from './redemption-routes.ts';

const none = z.strictObject({});
const truth = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true');

const one = (rest: Record<string, unknown>) => ({ sources: [rest] });
/** The body of a change of one yield source and its oracle. */
export const YieldSourceInBody = z.strictObject({ ...vault, source_address: Address, oracle_address: Address });

/** Routes that prepare calls and follow them. */
export const prepared = {
  /** @example const call = await client.prepareAddSecondaryManager({ body: { ...target, manager_address } }); */
  prepareAddSecondaryManager: single({
    id: 'prepareAddSecondaryManager',
    kind: 'add_secondary_manager',
    path: '/users/secondary-manager/prepare',
    body: bodyOf('add_secondary_manager'),
  }),
  /** @example const call = await client.prepareRemoveSecondaryManager({ body: { ...target, manager_address } }); */
  prepareRemoveSecondaryManager: single({
    id: 'prepareRemoveSecondaryManager',
    kind: 'remove_secondary_manager',
    path: '/users/secondary-manager/remove/prepare',
    body: bodyOf('remove_secondary_manager'),
  }),
  /** @example const call = await client.prepareCancelPrimaryChange({ body: target }); */
  prepareCancelPrimaryChange: single({
    id: 'prepareCancelPrimaryChange',
    kind: 'cancel_primary_change',
    path: '/users/primary-manager/cancel/prepare',
    body: VaultInBody,
  }),
  /**
   * @example
   * // The fee that is called management is the entry fee, of each deposit. A second call, a week later, puts both into force.
   * const fees = { performance_fee_bps: 1_000, management_fee_bps: 0, recipient: wallet_address };
   * const call = await client.prepareProposeFees({ body: { ...target, ...fees } });
   */
  prepareProposeFees: single({
    id: 'prepareProposeFees',
    kind: 'propose_fees',
    path: '/settings/fees/propose/prepare',
    body: bodyOf('propose_fees'),
  }),
  /** @example const call = await client.prepareExecuteFees({ body: target }); */
  prepareExecuteFees: single({
    id: 'prepareExecuteFees',
    kind: 'execute_fees',
    path: '/settings/fees/execute/prepare',
    body: VaultInBody,
  }),
  /** @example const call = await client.prepareSkimFees({ body: target }); */
  prepareSkimFees: single({
    id: 'prepareSkimFees',
    kind: 'skim_fees',
    path: '/settings/fees/skim/prepare',
    body: VaultInBody,
  }),
  /**
   * @example
   * const call = await client.prepareDeviationThreshold({ body: { ...target, deviation_threshold_bps: 500 } });
   */
  prepareDeviationThreshold: single({
    id: 'prepareDeviationThreshold',
    kind: 'set_deviation_threshold',
    path: '/settings/pps/deviation-threshold/prepare',
    body: bodyOf('set_deviation_threshold'),
  }),
  /**
   * @example
   * const call = await client.prepareProposeExpiration({ body: { ...target, expiration_seconds: 86_400 } });
   */
  prepareProposeExpiration: single({
    id: 'prepareProposeExpiration',
    kind: 'propose_expiration',
    path: '/settings/pps/expiration/propose/prepare',
    body: bodyOf('propose_expiration'),
  }),
  /** @example const call = await client.prepareExecuteExpiration({ body: target }); */
  prepareExecuteExpiration: single({
    id: 'prepareExecuteExpiration',
    kind: 'execute_expiration',
    path: '/settings/pps/expiration/execute/prepare',
    body: VaultInBody,
  }),
  /** @example const call = await client.prepareCancelExpiration({ body: target }); */
  prepareCancelExpiration: single({
    id: 'prepareCancelExpiration',
    kind: 'cancel_expiration',
    path: '/settings/pps/expiration/cancel/prepare',
    body: VaultInBody,
  }),
  /**
   * @example
   * const body = { ...target, min_update_interval_seconds: 600 };
   * const call = await client.prepareProposeMinUpdateInterval({ body });
   */
  prepareProposeMinUpdateInterval: single({
    id: 'prepareProposeMinUpdateInterval',
    kind: 'propose_min_update_interval',
    path: '/settings/pps/min-update-interval/propose/prepare',
    body: bodyOf('propose_min_update_interval'),
  }),
  /** @example const call = await client.prepareExecuteMinUpdateInterval({ body: target }); */
  prepareExecuteMinUpdateInterval: single({
    id: 'prepareExecuteMinUpdateInterval',
    kind: 'execute_min_update_interval',
    path: '/settings/pps/min-update-interval/execute/prepare',
    body: VaultInBody,
  }),
  /** @example const call = await client.prepareCancelMinUpdateInterval({ body: target }); */
  prepareCancelMinUpdateInterval: single({
    id: 'prepareCancelMinUpdateInterval',
    kind: 'cancel_min_update_interval',
    path: '/settings/pps/min-update-interval/cancel/prepare',
    body: VaultInBody,
  }),
  /**
   * @example
   * const call = await client.prepareDepositUpkeep({ body: { ...target, amount: '1000000000000000000' } });
   */
  prepareDepositUpkeep: stepped({
    id: 'prepareDepositUpkeep',
    kind: 'deposit_upkeep',
    path: '/settings/upkeep/deposit',
    body: bodyOf('deposit_upkeep'),
  }),
  /** @example const call = await client.prepareProposeUpkeepWithdrawal({ body: target }); */
  prepareProposeUpkeepWithdrawal: stepped({
    id: 'prepareProposeUpkeepWithdrawal',
    kind: 'propose_upkeep_withdrawal',
    path: '/settings/upkeep/withdraw/propose',
    body: VaultInBody,
  }),
  /** @example const call = await client.prepareExecuteUpkeepWithdrawal({ body: target }); */
  prepareExecuteUpkeepWithdrawal: stepped({
    id: 'prepareExecuteUpkeepWithdrawal',
    kind: 'execute_upkeep_withdrawal',
    path: '/settings/upkeep/withdraw/execute',
    body: VaultInBody,
  }),
  /** @example const call = await client.preparePause({ body: { ...target, reason: 'Oracle under review' } }); */
  preparePause: single({
    id: 'preparePause',
    kind: 'pause',
    path: '/vaults/emergency-pause/prepare',
    body: bodyOf('pause'),
  }),
  /** @example const call = await client.prepareUnpause({ body: { ...target, reason: 'Oracle is right' } }); */
  prepareUnpause: single({
    id: 'prepareUnpause',
    kind: 'unpause',
    path: '/vaults/emergency-unpause/prepare',
    body: bodyOf('unpause'),
  }),
  /**
   * @example
   * const call = await client.prepareAddYieldSource({ body: { ...target, source_address, oracle_address } });
   */
  prepareAddYieldSource: single({
    id: 'prepareAddYieldSource',
    kind: 'add_yield_sources',
    path: '/yield-sources/prepare-add',
    body: YieldSourceInBody,
    args: one,
  }),
  /**
   * @example
   * const call = await client.prepareUpdateYieldSourceOracle({ body: { ...target, source_address, oracle_address } });
   */
  prepareUpdateYieldSourceOracle: single({
    id: 'prepareUpdateYieldSourceOracle',
    kind: 'update_yield_source_oracles',
    path: '/yield-sources/prepare-update-oracle',
    body: YieldSourceInBody,
    args: one,
  }),
  /** @example const call = await client.prepareRemoveYieldSource({ body: { ...target, source_address } }); */
  prepareRemoveYieldSource: single({
    id: 'prepareRemoveYieldSource',
    kind: 'remove_yield_sources',
    path: '/yield-sources/prepare-remove',
    body: z.strictObject({ ...vault, source_address: Address }),
    args: one,
  }),
  /**
   * @example
   * const sources = [{ source_address, oracle_address }];
   * const call = await client.prepareBulkAddYieldSources({ body: { ...target, sources } });
   */
  prepareBulkAddYieldSources: single({
    id: 'prepareBulkAddYieldSources',
    kind: 'add_yield_sources',
    path: '/yield-sources/prepare-bulk-add',
    body: bodyOf('add_yield_sources'),
  }),
  /**
   * @example
   * const sources = [{ source_address, oracle_address }];
   * const call = await client.prepareBulkUpdateYieldSourceOracles({ body: { ...target, sources } });
   */
  prepareBulkUpdateYieldSourceOracles: single({
    id: 'prepareBulkUpdateYieldSourceOracles',
    kind: 'update_yield_source_oracles',
    path: '/yield-sources/prepare-bulk-update-oracle',
    body: bodyOf('update_yield_source_oracles'),
  }),
  /**
   * @example
   * const call = await client.prepareBulkRemoveYieldSources({ body: { ...target, sources: [{ source_address }] } });
   */
  prepareBulkRemoveYieldSources: single({
    id: 'prepareBulkRemoveYieldSources',
    kind: 'remove_yield_sources',
    path: '/yield-sources/prepare-bulk-remove',
    body: bodyOf('remove_yield_sources'),
  }),
  ...hookPrepares,
  ...redemptionPrepares,
  ...depositorPrepares,
  /** @example const page = await client.listPrepared({ query: { ...vault, status: 'prepared' } }); */
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
      cursor: CursorParam.optional(),
    }),
    body: undefined,
    result: ListPrepared.result,
    action: ListPrepared,
    cache: 'etag',
  }),
  /** @example const call = await client.getPrepared({ params: { id }, query: { recheck: 'true' } }); */
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
  /** @example const call = await client.broadcastPrepared({ params: { id }, body: { tx_hash } }); */
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
