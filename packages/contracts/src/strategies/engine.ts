import { z } from 'zod';
import { action } from '../action.ts';
import { ChainId, Eip55, Hash, IsoTime, Seconds, UintString, VaultRef } from '../primitives.ts';
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

/** What a manager may set of the engine for one vault; what is absent stays. `version` refuses a stale change. */
export const engineLimits = {
  kill_switch: z.boolean().optional(),
  max_intents_per_minute: z.int().min(1).max(600).optional(),
  max_active_intents: z.int().min(1).max(100).optional(),
  version: z.int().nonnegative().optional(),
};

/** The keeper that sends for the vault's strategies, as it last reported itself. */
export const VaultKeeper = z.object({
  address: Eip55,
  /** What the keeper's wallet may do on this vault; null: nothing, so that nothing is sent. */
  role: z.enum(['primary_manager', 'secondary_manager']).nullable(),
  /** It went over the vaults of the chain within the last minute. */
  is_running: z.boolean(),
  /** The head it last went over. */
  block_number: z.int(),
  last_pass_at: IsoTime,
  /** Wei, to pay for gas. */
  balance: UintString,
});
export type VaultKeeper = z.infer<typeof VaultKeeper>;

/** `keeper` is null where none has ever worked on the chain. */
export const GetEngineVault = action('v1.vaults.engineVault', {
  callers: { user: 'read' },
  params: VaultRef,
  result: EngineVault.extend({ keeper: VaultKeeper.nullable() }),
});
/** Changes the vault's limits or its kill switch. @throws AppError VERSION_CONFLICT. */
export const UpdateEngineVault = action('v1.vaults.updateEngineVault', {
  callers: { user: 'full' },
  params: z.strictObject({ ...VaultRef.shape, ...engineLimits }),
  result: EngineVault,
});

/** The engine's instances and running strategies. */
export const GetEngineStatus = action('v1.vaults.engineStatus', {
  callers: { user: 'read' },
  params: z.strictObject({}),
  result: z.object({ active_shards: z.int(), total_strategies_running: z.int() }),
});

/** The process that sends for strategies: what it holds and what is on its way. */
export const GetKeeperStatus = action('v1.keeper.status', {
  callers: { services: ['vaults'] },
  params: z.strictObject({}),
  result: z.object({
    fulfils_redemptions: z.boolean(),
    chains: z.array(
      z.object({
        chain_id: ChainId,
        /** Whose key sends on this chain. */
        address: Eip55,
        /** Of several instances one works on a chain; the others stand by. */
        holds_lease: z.boolean(),
        last_pass_at: IsoTime.nullable(),
        open_transactions: z.array(
          z.object({
            key: z.string(),
            kind: z.enum(['intent', 'fulfil', 'fulfil_cancels']),
            nonce: z.int(),
            /** Every signed form; they share the nonce. */
            tx_hashes: z.array(Hash),
          }),
        ),
      }),
    ),
  }),
});

/** A source that an emergency exit drains, locked for all other strategies. */
export const EmergencyLock = z.object({
  strategy_id: z.string(),
  target_address: Eip55,
  started_at: IsoTime,
  reason: z.string().nullable(),
});

/** `blocked`: it was not even asked, and `code` says why; any other outcome is of the language. */
export const KeeperLook = z.object({
  outcome: z.string(),
  code: z.string().nullable(),
  because: z.string(),
  block_number: z.int().nullable(),
  at: IsoTime,
});

/** What runs on a vault and what it sees. ENGINE_IDLE when nothing runs. */
export const GetEngineShard = action('v1.vaults.engineShard', {
  callers: { user: 'read' },
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
        /** What the keeper last made of it; absent before its first evaluation. */
        last_look: KeeperLook.optional(),
      }),
    ),
    emergency_locks: z.array(EmergencyLock),
  }),
});
