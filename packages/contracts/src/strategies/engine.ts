import { z } from 'zod';
import { action } from '../action.ts';
import { Eip55, IsoTime, Seconds, VaultRef } from '../primitives.ts';
import { FieldValue, StrategyDecision, StrategyState } from './shapes.ts';

/** How much the engine may do on a vault. With the kill switch on it does nothing at all. */
export const EngineVault = z.object({
  id: z.string(),
  kill_switch: z.boolean(),
  max_intents_per_minute: z.int(),
  max_active_intents: z.int(),
  version: z.int().nonnegative(),
});
export type EngineVault = z.infer<typeof EngineVault>;

export const engineLimits = {
  kill_switch: z.boolean().optional(),
  max_intents_per_minute: z.int().min(1).max(600).optional(),
  max_active_intents: z.int().min(1).max(100).optional(),
  version: z.int().nonnegative().optional(),
};
export const GetEngineVault = action('v1.vaults.engineVault', { params: VaultRef, result: EngineVault });
export const UpdateEngineVault = action('v1.vaults.updateEngineVault', {
  params: z.strictObject({ ...VaultRef.shape, ...engineLimits }),
  result: EngineVault,
});

export const GetEngineStatus = action('v1.vaults.engineStatus', {
  params: z.strictObject({}),
  result: z.object({ active_shards: z.int(), total_strategies_running: z.int() }),
});

export const EmergencyLock = z.object({
  strategy_id: z.string(),
  target_address: Eip55,
  started_at: IsoTime,
  reason: z.string().nullable(),
});

/** What runs on a vault and what it sees. ENGINE_IDLE when nothing runs. */
export const GetEngineShard = action('v1.vaults.engineShard', {
  params: VaultRef,
  result: z.object({
    vault_id: z.string(),
    strategy_count: z.int(),
    active_intent_count: z.int(),
    tick_interval_seconds: Seconds,
    block_number: z.int(),
    fields: z.record(z.string(), FieldValue),
    strategies: z.array(
      z.object({
        strategy_id: z.string(),
        name: z.string(),
        state: StrategyState,
        priority: z.int().nullable(),
        /** The source is locked by an emergency exit: the strategy does nothing. */
        is_locked: z.boolean(),
        decision: StrategyDecision.nullable(),
      }),
    ),
    emergency_locks: z.array(EmergencyLock),
  }),
});
