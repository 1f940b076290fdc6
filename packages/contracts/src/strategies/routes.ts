import { z } from 'zod';
import { Address, LimitParam } from '../primitives.ts';
import { route } from '../route.ts';
import { engineLimits, GetEngineShard, GetEngineStatus, GetEngineVault, UpdateEngineVault } from './engine.ts';
import { GetKeeperRecord, KeeperWindow } from './keeper.ts';
import { asks, byId, byVault, none, paging, split } from './route-parts.ts';
import {
  MOST_STRATEGIES,
  offset,
  Strategy,
  StrategyId,
  StrategyLane,
  StrategyState,
  strategyDefinition,
  strategyKinds,
  VaultId,
} from './shapes.ts';
import {
  ArchiveStrategy,
  CreateStrategy,
  GetStrategy,
  GetStrategySnapshot,
  ListStrategies,
  ReorderStrategies,
  SetStrategyState,
  StrategyDraft,
  stateChange,
  UpdateStrategy,
  ValidateStrategy,
} from './strategies.ts';

/** Routes of strategies and the engine. */
export const strategies = {
  /** @example const { strategies } = await client.listStrategies({ query: { vault_id, state: 'RUNNING' } }); */
  listStrategies: route({
    id: 'listStrategies',
    method: 'GET',
    path: '/api/v1/strategies',
    auth: 'optional',
    params: none,
    query: z.strictObject({
      vault_id: VaultId,
      kind: z.enum(strategyKinds).optional(),
      state: StrategyState.optional(),
      lane: StrategyLane.optional(),
      target_address: Address.optional(),
      limit: LimitParam.optional(),
      offset: offset.optional(),
    }),
    body: undefined,
    result: ListStrategies.result,
    toParams: split,
    action: ListStrategies,
    cache: 'etag',
  }),
  /**
   * @example
   * const strategy = await client.createStrategy({
   *   body: {
   *     vault_id,
   *     id: 'deposit-idle',
   *     name: 'Deposit what is idle',
   *     indicators: [],
   *     rules: { type: 'EXPR', expr: 'free_assets > 1_000 USDC' },
   *     action_config: {
   *       action: 'DEPOSIT',
   *       execution_name: 'Deposit',
   *       size_expr: 'free_assets',
   *       execution_address: source_address,
   *       target_address: source_address,
   *     },
   *     max_concurrent: 1,
   *   },
   * });
   */
  createStrategy: route({
    id: 'createStrategy',
    method: 'POST',
    path: '/api/v1/strategies',
    auth: 'bearer',
    params: none,
    query: none,
    body: z.strictObject({ vault_id: VaultId, ...StrategyDraft.shape }),
    result: CreateStrategy.result,
    status: 201,
    toParams: split,
    action: CreateStrategy,
  }),
  /** @example const { ok, errors } = await client.validateStrategy({ body: { vault_id, ...definition } }); */
  validateStrategy: route({
    id: 'validateStrategy',
    method: 'POST',
    path: '/api/v1/strategies/validate',
    auth: 'bearer',
    params: none,
    query: none,
    body: z.strictObject({ vault_id: VaultId, ...strategyDefinition }),
    result: ValidateStrategy.result,
    toParams: split,
    action: ValidateStrategy,
    ...asks,
  }),
  /**
   * @example
   * const order = ['deposit-idle', 'deposit-rest'];
   * await client.reorderStrategies({ body: { vault_id, lane: 'DEPOSIT', ordered_strategy_ids: order } });
   */
  reorderStrategies: route({
    id: 'reorderStrategies',
    method: 'POST',
    path: '/api/v1/strategies/reorder',
    auth: 'bearer',
    params: none,
    query: none,
    body: z.strictObject({
      vault_id: VaultId,
      lane: StrategyLane,
      ordered_strategy_ids: z.array(StrategyId).min(1).max(MOST_STRATEGIES),
    }),
    result: ReorderStrategies.result,
    toParams: split,
    action: ReorderStrategies,
  }),
  /** @example const { state, version } = await client.getStrategy({ params: { id } }); */
  getStrategy: route({
    id: 'getStrategy',
    method: 'GET',
    path: '/api/v1/strategies/{id}',
    auth: 'optional',
    openToBoundTokens: true,
    params: byId,
    query: none,
    body: undefined,
    result: Strategy,
    action: GetStrategy,
    cache: 'etag',
  }),
  /** @example await client.updateStrategy({ params: { id }, body: { version: 1, ...definition } }); */
  updateStrategy: route({
    id: 'updateStrategy',
    method: 'PUT',
    path: '/api/v1/strategies/{id}',
    auth: 'bearer',
    openToBoundTokens: true,
    params: byId,
    query: none,
    body: z.strictObject({ version: z.int().positive(), ...strategyDefinition }),
    result: Strategy,
    action: UpdateStrategy,
  }),
  /** @example await client.archiveStrategy({ params: { id } }); */
  archiveStrategy: route({
    id: 'archiveStrategy',
    method: 'DELETE',
    path: '/api/v1/strategies/{id}',
    auth: 'bearer',
    openToBoundTokens: true,
    params: byId,
    query: none,
    body: undefined,
    result: z.null(),
    status: 204,
    action: ArchiveStrategy,
    toAnswer: () => ({ status: 204, body: null }),
  }),
  /** @example await client.setStrategyState({ params: { id }, body: { target_state: 'RUNNING', version: 1 } }); */
  setStrategyState: route({
    id: 'setStrategyState',
    method: 'PATCH',
    path: '/api/v1/strategies/{id}/state',
    auth: 'bearer',
    openToBoundTokens: true,
    params: byId,
    query: none,
    body: z.strictObject(stateChange),
    result: Strategy,
    action: SetStrategyState,
  }),
  /** @example const { kill_switch } = await client.engineVault({ params: { vault_id } }); */
  engineVault: route({
    id: 'engineVault',
    method: 'GET',
    path: '/api/v1/engine/vaults/{vault_id}',
    auth: 'bearer',
    params: byVault,
    query: none,
    body: undefined,
    result: GetEngineVault.result,
    toParams: split,
    action: GetEngineVault,
    cache: 'etag',
  }),
  /** @example const { runs, totals } = await client.keeperRecord({ params: { vault_id }, query: { window: '7d' } }); */
  keeperRecord: route({
    id: 'keeperRecord',
    method: 'GET',
    path: '/api/v1/engine/vaults/{vault_id}/keeper',
    auth: 'bearer',
    params: byVault,
    query: z.strictObject({ window: KeeperWindow.optional(), ...paging }),
    body: undefined,
    result: GetKeeperRecord.result,
    toParams: split,
    action: GetKeeperRecord,
    cache: 'etag',
  }),
  /** @example await client.updateEngineVault({ params: { vault_id }, body: { kill_switch: true } }); */
  updateEngineVault: route({
    id: 'updateEngineVault',
    method: 'PATCH',
    path: '/api/v1/engine/vaults/{vault_id}',
    auth: 'bearer',
    params: byVault,
    query: none,
    body: z.strictObject(engineLimits),
    result: UpdateEngineVault.result,
    toParams: split,
    action: UpdateEngineVault,
  }),
  /** @example const { fields } = await client.engineFields({ params: { vault_id } }); */
  engineFields: route({
    id: 'engineFields',
    method: 'GET',
    path: '/api/v1/engine/vaults/{vault_id}/fields',
    auth: 'bearer',
    params: byVault,
    query: none,
    body: undefined,
    result: GetStrategySnapshot.result,
    toParams: split,
    action: GetStrategySnapshot,
    cache: 'etag',
  }),
  /** @example const { total_strategies_running } = await client.engineStatus({}); */
  engineStatus: route({
    id: 'engineStatus',
    method: 'GET',
    path: '/api/v1/engine/status',
    auth: 'bearer',
    openToBoundTokens: true,
    params: none,
    query: none,
    body: undefined,
    result: GetEngineStatus.result,
    action: GetEngineStatus,
  }),
  /** @example const { strategy_count } = await client.engineShard({ params: { vault_id } }); */
  engineShard: route({
    id: 'engineShard',
    method: 'GET',
    path: '/api/v1/engine/shards/{vault_id}/state',
    auth: 'bearer',
    params: byVault,
    query: none,
    body: undefined,
    result: GetEngineShard.result,
    toParams: split,
    action: GetEngineShard,
  }),
};
