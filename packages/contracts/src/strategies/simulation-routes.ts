import { z } from 'zod';
import { route } from '../route.ts';
import { asks, none, paging, split } from './route-parts.ts';
import { VaultId } from './shapes.ts';
import {
  aheadRequest,
  Backtest,
  backtestRequest,
  DeleteSavedSimulation,
  GetSavedSimulation,
  ListSavedSimulations,
  LookUpSimulation,
  SaveSimulation,
  SimulateAhead,
} from './simulations.ts';

/** Routes of backtests, projections and saved simulations. */
export const simulations = {
  /**
   * @example
   * const range = { from: '2026-10-01T00:00:00Z', to: '2026-11-01T00:00:00Z' };
   * const result = await client.backtest({ body: { vault_id, strategy_ids: [id], ...range } });
   */
  backtest: route({
    id: 'backtest',
    method: 'POST',
    path: '/api/v1/simulations/backtest',
    auth: 'bearer',
    params: none,
    query: none,
    body: z.strictObject({ vault_id: VaultId, ...backtestRequest }),
    result: Backtest.result,
    toParams: split,
    action: Backtest,
    ...asks,
  }),
  /**
   * @example
   * const ahead = { horizon_seconds: 604_800, step_seconds: 3_600 };
   * const result = await client.simulateAhead({ body: { vault_id, strategy_ids: [id], ...ahead } });
   */
  simulateAhead: route({
    id: 'simulateAhead',
    method: 'POST',
    path: '/api/v1/simulations/ahead',
    auth: 'bearer',
    params: none,
    query: none,
    body: z.strictObject({ vault_id: VaultId, ...aheadRequest }),
    result: SimulateAhead.result,
    toParams: split,
    action: SimulateAhead,
    ...asks,
  }),
  /** @example const { simulations } = await client.listSimulations({ query: { vault_id } }); */
  listSimulations: route({
    id: 'listSimulations',
    method: 'GET',
    path: '/api/v1/simulations/saved',
    auth: 'bearer',
    params: none,
    query: z.strictObject({ vault_id: VaultId, ...paging }),
    body: undefined,
    result: ListSavedSimulations.result,
    toParams: split,
    action: ListSavedSimulations,
    cache: 'etag',
  }),
  /**
   * @example
   * const week = { horizon_seconds: 604_800, step_seconds: 3_600 };
   * const request = { kind: 'ahead' as const, strategy_ids: [id], ...week };
   * await client.saveSimulation({ body: { vault_id, name: 'One week', request } });
   */
  saveSimulation: route({
    id: 'saveSimulation',
    method: 'POST',
    path: '/api/v1/simulations/saved',
    auth: 'bearer',
    params: none,
    query: none,
    body: z.strictObject({ vault_id: VaultId, ...SaveSimulation.params.pick({ name: true, request: true }).shape }),
    result: SaveSimulation.result,
    status: 201,
    toParams: split,
    action: SaveSimulation,
  }),
  /**
   * @example
   * const range = { from: '2026-10-01T00:00:00Z', to: '2026-11-01T00:00:00Z' };
   * const request = { kind: 'backtest' as const, strategy_ids: [id], ...range };
   * const found = await client.lookUpSimulation({ body: { vault_id, request } });
   */
  lookUpSimulation: route({
    id: 'lookUpSimulation',
    method: 'POST',
    path: '/api/v1/simulations/saved/lookup',
    auth: 'bearer',
    params: none,
    query: none,
    body: z.strictObject({ vault_id: VaultId, ...LookUpSimulation.params.pick({ request: true }).shape }),
    result: LookUpSimulation.result,
    toParams: split,
    action: LookUpSimulation,
    ...asks,
  }),
  /** @example const { result } = await client.getSimulation({ params: { id } }); */
  getSimulation: route({
    id: 'getSimulation',
    method: 'GET',
    path: '/api/v1/simulations/saved/{id}',
    auth: 'bearer',
    openToBoundTokens: true,
    params: z.strictObject({ id: z.string().min(1).max(100) }),
    query: none,
    body: undefined,
    result: GetSavedSimulation.result,
    action: GetSavedSimulation,
    cache: 'etag',
  }),
  /** @example await client.deleteSimulation({ params: { id } }); */
  deleteSimulation: route({
    id: 'deleteSimulation',
    method: 'DELETE',
    path: '/api/v1/simulations/saved/{id}',
    auth: 'bearer',
    openToBoundTokens: true,
    params: z.strictObject({ id: z.string().min(1).max(100) }),
    query: none,
    body: undefined,
    result: z.null(),
    status: 204,
    action: DeleteSavedSimulation,
    toAnswer: () => ({ status: 204, body: null }),
  }),
};
