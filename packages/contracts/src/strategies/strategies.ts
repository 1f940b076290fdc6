import { z } from 'zod';
import { action } from '../action.ts';
import { Address, Eip55, IsoTime, listOf, VaultRef } from '../primitives.ts';
import {
  FieldValue,
  MOST_STRATEGIES,
  Strategy,
  StrategyDecision,
  StrategyId,
  StrategyLane,
  StrategyState,
  StrategyWarning,
  strategyDefinition,
  strategyKinds,
} from './shapes.ts';

/** A new strategy, with the id that it gets. */
export const StrategyDraft = z.strictObject({ id: StrategyId, ...strategyDefinition });

/** Strategies of a vault: by lane and priority, archived ones last. Any role; the public sees a public vault's without their rules. */
export const ListStrategies = action('v1.vaults.listStrategies', {
  callers: { user: 'read', services: ['gateway'] },
  params: z.strictObject({
    ...VaultRef.shape,
    kind: z.enum(strategyKinds).optional(),
    state: StrategyState.optional(),
    lane: StrategyLane.optional(),
    target_address: Address.optional(),
    limit: z.int().min(1).max(500).default(100),
    offset: z.int().nonnegative().default(0),
  }),
  result: listOf('strategies', Strategy),
});

/** Saves a strategy as CREATED, last in its lane; a vault has at most 200 that are not archived. Refused with every fault of it; see {@link ValidateStrategy}. */
export const CreateStrategy = action('v1.vaults.createStrategy', {
  callers: { user: 'full' },
  params: z.strictObject({ ...VaultRef.shape, ...StrategyDraft.shape }),
  result: Strategy,
});

/** `length` where a word or a number is meant. */
const Place = z.object({ offset: z.int(), line: z.int(), column: z.int(), length: z.int().optional() });

/** Everything wrong with a strategy, without saving it; `decision` is how it judges the vault as it is now. */
export const ValidateStrategy = action('v1.vaults.validateStrategy', {
  callers: { user: 'read' },
  params: z.strictObject({ ...VaultRef.shape, ...strategyDefinition }),
  result: z.object({
    ok: z.boolean(),
    errors: z.array(
      z.object({
        path: z.string(),
        code: z.string(),
        message: z.string(),
        position: Place,
        suggestion: z.string().nullable(),
      }),
    ),
    warnings: z.array(StrategyWarning),
    decision: StrategyDecision.nullable(),
  }),
});

const one = z.strictObject({ id: StrategyId });
/** One strategy. @throws AppError STRATEGY_NOT_FOUND. */
export const GetStrategy = action('v1.vaults.getStrategy', {
  callers: { user: 'read', services: ['gateway'] },
  params: one,
  result: Strategy,
});

/** Replaces the definition. A running strategy runs on with the new one. */
export const UpdateStrategy = action('v1.vaults.updateStrategy', {
  callers: { user: 'full' },
  params: z.strictObject({ ...StrategyDraft.shape, version: z.int().positive() }),
  result: Strategy,
});

/** Archives a strategy: it leaves its lane and never runs again. */
export const ArchiveStrategy = action('v1.vaults.archiveStrategy', {
  callers: { user: 'full' },
  params: one,
  result: z.object({ strategy: Strategy }),
});

/** A change of state; `version` refuses a stale one, the rest is for an emergency exit. */
export const stateChange = {
  target_state: z.enum(['IDLE', 'RUNNING', 'ARCHIVED', 'ERROR']),
  version: z.int().positive(),
  emergency_arm_reason: z.string().max(500).optional(),
  /** What an emergency exit may lose on each withdrawal. */
  emergency_max_slippage_bps: z.int().min(0).max(10_000).optional(),
};

/** Starts, stops, archives. Starting an emergency exit arms it: it locks its source for every other strategy. */
export const SetStrategyState = action('v1.vaults.setStrategyState', {
  callers: { user: 'full' },
  params: z.strictObject({ id: StrategyId, ...stateChange }),
  result: Strategy,
});

/** The whole order of a lane at once: every strategy of it that is not archived, exactly once. */
export const ReorderStrategies = action('v1.vaults.reorderStrategies', {
  callers: { user: 'full' },
  params: z.strictObject({
    ...VaultRef.shape,
    lane: StrategyLane,
    ordered_strategy_ids: z.array(StrategyId).min(1).max(MOST_STRATEGIES),
  }),
  result: z.object({ lane: StrategyLane, strategies: z.array(z.object({ id: z.string(), priority: z.int() })) }),
});

/** A reward of one of the vault's sources: who pays it, in which token, and the pool where that becomes the asset. */
export const VaultReward = z.object({
  source_address: Eip55,
  distributor: Eip55,
  token: Eip55,
  symbol: z.string().nullable(),
  decimals: z.int().nullable(),
  pool: Eip55.nullable(),
});

/** Every variable of the strategy language for a vault, as of its last block, with the rewards among them. */
export const GetStrategySnapshot = action('v1.vaults.strategySnapshot', {
  callers: { user: 'read' },
  params: VaultRef,
  result: z.object({
    vault_id: z.string(),
    block_number: z.int(),
    t: IsoTime,
    fields: z.record(z.string(), FieldValue),
    rewards: z.array(VaultReward).optional(),
  }),
});
