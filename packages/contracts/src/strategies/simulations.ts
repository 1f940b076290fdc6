import { z } from 'zod';
import { action } from '../action.ts';
import { Address, Eip55, IntString, IsoTime, listOf, UintString, VaultRef } from '../primitives.ts';
import { StrategyId, strategyDefinition } from './shapes.ts';

/** A strategy as it would be saved, under an id of the caller's. */
export const TriedDraft = z.strictObject({ id: StrategyId, ...strategyDefinition });
/** What a source is assumed to yield: a fraction a year. */
export const AssumedApy = z.strictObject({ source_address: Address, apy: z.number().min(-0.99).max(10) });

/** Strategies to try: saved ones by their id, or drafts. In the order of the lists where they compete. */
const tried = {
  strategy_ids: z.array(StrategyId).max(20).default([]),
  drafts: z.array(TriedDraft).max(10).default([]),
  /** What each execution loses. */
  slippage_bps: z.int().min(0).max(1_000).default(0),
};

/** A backtest: the strategies, and the stretch of the past. */
export const backtestRequest = { ...tried, from: IsoTime, to: IsoTime };
/** A projection: the strategies, how far ahead, and what is assumed. */
export const aheadRequest = {
  ...tried,
  horizon_seconds: z.int().min(60).max(7_776_000),
  step_seconds: z.int().min(10).max(86_400),
  /** Yearly yields to assume, as fractions; a source that is not named keeps its present one, or none. */
  apys: z.array(AssumedApy).max(50).default([]),
  /** What holders put in (negative: take out) per day, in asset base units. */
  net_deposits_per_day: IntString.default('0'),
};

const Firing = z.object({
  strategy_id: z.string(),
  block_number: z.int(),
  t: IsoTime,
  action: z.string(),
  target_address: Eip55,
  /** The source that a rebalance took from; null for other actions. Results saved before it was there lack it. */
  from_address: Eip55.nullable().optional(),
  /** In asset base units for a deposit, else in base units of the shares of the source it takes from. */
  amount: UintString,
  /** The same in asset base units; null where the source has no price then. */
  assets: UintString.nullable(),
  limited_by: z.string().nullable(),
  /** The conditions that decided, with the values they had and their units. */
  because: z.string(),
});

/** What strategies did, or would do, over a stretch of time. */
export const SimulationResult = z.object({
  vault_id: z.string(),
  kind: z.enum(['backtest', 'ahead']),
  from: IsoTime,
  to: IsoTime,
  /** Readings of the vault that were replayed: recorded by the engine, or observed by the indexer; projected ahead. */
  snapshots: z.object({ total: z.int(), recorded: z.int(), observed: z.int(), projected: z.int() }),
  strategies: z.array(
    z.object({
      strategy_id: z.string(),
      name: z.string(),
      fired: z.int(),
      first_fired_at: IsoTime.nullable(),
      /** How often each outcome came up. */
      outcomes: z.record(z.string(), z.int()),
      /** The latest reason for a missing value. */
      no_value_because: z.string().nullable(),
      /** Moved by it, in asset base units, and what that had earned or lost at the end against leaving it where it was. */
      moved_assets: UintString,
      gained_assets: IntString,
    }),
  ),
  firings: z.array(Firing),
  firings_omitted: z.int(),
  /** The vault as it was, and as it would have been. Asset base units. */
  points: z.array(
    z.object({
      t: IsoTime,
      block_number: z.int(),
      free_assets: UintString.nullable(),
      free_assets_simulated: UintString.nullable(),
      tvl: UintString.nullable(),
      tvl_simulated: UintString.nullable(),
    }),
  ),
  /**
   * Where the assets were at the end, and where they would have been, in asset base units; idle first, without an address. Beside it the target and cap in force. Absent from older ones.
   */
  allocation: z
    .array(
      z.object({
        source_address: Eip55.nullable(),
        assets: UintString.nullable(),
        assets_simulated: UintString.nullable(),
        target_bps: z.int().nullable(),
        cap_bps: z.int().nullable(),
      }),
    )
    .optional(),
  gained_assets: IntString,
  assumptions: z.array(z.string()),
});
export type SimulationResult = z.infer<typeof SimulationResult>;

/** Replays the vault's recorded history through strategies. Sends nothing. Any role on the vault. */
export const Backtest = action('v1.vaults.backtest', {
  callers: { user: 'read' },
  params: z.strictObject({ ...VaultRef.shape, ...backtestRequest }),
  result: SimulationResult,
});
/** Plays strategies into an assumed future that starts with the vault as it is. Sends nothing. */
export const SimulateAhead = action('v1.vaults.simulateAhead', {
  callers: { user: 'read' },
  params: z.strictObject({ ...VaultRef.shape, ...aheadRequest }),
  result: SimulationResult,
});

/** What was simulated: a backtest or a projection. */
export const SimulationRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('backtest'), ...backtestRequest }),
  z.strictObject({ kind: z.literal('ahead'), ...aheadRequest }),
]);
/** A simulation that is kept, in a list. */
export const SimulationSummary = z.object({
  id: z.string(),
  vault_id: z.string(),
  name: z.string(),
  kind: z.enum(['backtest', 'ahead']),
  created_at: IsoTime,
  created_by: Eip55,
  gained_assets: IntString,
  fired: z.int(),
});
/** A simulation with its request and its result. */
export const SavedSimulation = SimulationSummary.extend({
  request: z.record(z.string(), z.unknown()),
  result: SimulationResult,
});

/** Saved simulations of a vault, newest first. @throws AppError CURSOR_INVALID. */
export const ListSavedSimulations = action('v1.vaults.listSimulations', {
  callers: { user: 'read' },
  params: z.strictObject({
    ...VaultRef.shape,
    limit: z.int().min(1).max(500).default(100),
    cursor: z.string().max(500).optional(),
  }),
  result: listOf('simulations', SimulationSummary),
});
const named = { name: z.string().trim().min(1).max(80), request: SimulationRequest };
/** Runs a simulation and keeps it. SIMULATION_EXISTS when the same request is kept already. */
export const SaveSimulation = action('v1.vaults.saveSimulation', {
  callers: { user: 'full' },
  params: z.strictObject({ ...VaultRef.shape, ...named }),
  result: SavedSimulation,
});
const one = z.strictObject({ id: z.string().min(1).max(100) });
/** One saved simulation. @throws AppError SIMULATION_NOT_FOUND. */
export const GetSavedSimulation = action('v1.vaults.getSimulation', {
  callers: { user: 'read' },
  params: one,
  result: SavedSimulation,
});
/** Deletes a saved simulation. @throws AppError SIMULATION_NOT_FOUND. */
export const DeleteSavedSimulation = action('v1.vaults.deleteSimulation', {
  callers: { user: 'full' },
  params: one,
  result: z.object({ deleted: z.boolean() }),
});
/** The kept run of a request, if there is one. */
export const LookUpSimulation = action('v1.vaults.lookUpSimulation', {
  callers: { user: 'read' },
  params: z.strictObject({ ...VaultRef.shape, request: SimulationRequest }),
  result: z.object({ simulation: SimulationSummary.nullable() }),
});
