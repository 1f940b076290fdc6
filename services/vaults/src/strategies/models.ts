import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { StrategyFacts } from './domain/facts.ts';
import type { StrategyDocument } from './domain/strategy.ts';
import type { SourceTarget } from './domain/targets.ts';

/** A quarter: as far back as a replay of what strategies really saw can reach. */
const RECORDED_SECONDS = 90 * 86_400;

export const strategies = defineCollection({
  name: 'strategies',
  kept: 'truth',
  about: 'Strategies and emergency exits of vaults.',
  shape: z.custom<StrategyDocument>(),
  indexes: [{ keys: { chain_id: 1, vault: 1, state: 1 } }, { keys: { chain_id: 1, state: 1 } }],
});

export const strategyLanes = defineCollection({
  name: 'strategy_lanes',
  kept: 'truth',
  about: 'The order of the strategies of one lane.',
  shape: z.object({ _id: z.string(), order: z.array(z.string()) }),
});
export type LaneDocument = DocumentOf<typeof strategyLanes>;

export const strategyEngines = defineCollection({
  name: 'strategy_engines',
  kept: 'truth',
  about: 'The kill switch and the limits of a vault.',
  shape: z.object({
    /** `<chain_id>:<vault in lower case>`. */
    _id: z.string(),
    version: z.number(),
    kill_switch: z.boolean(),
    max_intents_per_minute: z.number(),
    max_active_intents: z.number(),
  }),
});
export type EngineDocument = DocumentOf<typeof strategyEngines>;

export const allocationTargets = defineCollection({
  name: 'allocation_targets',
  kept: 'truth',
  about: 'Every version of the targets and caps that managers set for the sources of a vault.',
  shape: z.object({
    /** `<chain_id>:<vault in lower case>:<version>`. */
    _id: z.string(),
    chain_id: z.number(),
    vault: z.string(),
    version: z.number(),
    /** The block of the vault when it was set: readings from it on are compared with it. */
    from_block: z.number(),
    updated_at: z.string(),
    updated_by: z.string(),
    sources: z.array(z.custom<SourceTarget>()),
  }),
  indexes: [{ keys: { chain_id: 1, vault: 1, version: -1 }, unique: true }],
});
export type TargetsDocument = DocumentOf<typeof allocationTargets>;

export const strategySnapshots = defineCollection({
  name: 'strategy_snapshots',
  kept: 'truth',
  about: 'What strategies saw at one block.',
  shape: z.object({
    _id: z.string(),
    chain_id: z.number(),
    vault: z.string(),
    block_number: z.number(),
    block_time: z.number(),
    recorded_at: z.date(),
    /** Sequence of the rollback that began the branch of the block; the former version wrote none. */
    branch: z.number().exactOptional(),
    facts: z.custom<StrategyFacts>(),
  }),
  indexes: [
    { keys: { chain_id: 1, vault: 1, block_number: 1 }, unique: true },
    { keys: { recorded_at: 1 }, ttlSeconds: RECORDED_SECONDS },
  ],
});
/** What strategies saw at one block. */
export type RecordedSnapshot = DocumentOf<typeof strategySnapshots>;

export const strategySimulations = defineCollection({
  name: 'strategy_simulations',
  kept: 'truth',
  about: 'Simulations that were kept.',
  shape: z.object({
    _id: z.string(),
    chain_id: z.number(),
    vault: z.string(),
    vault_address: z.string(),
    name: z.string(),
    kind: z.enum(['backtest', 'ahead']),
    /** SHA-256 of the request: the same one is kept once per vault. */
    request_hash: z.string(),
    place: z.string(),
    created_at: z.string(),
    created_by: z.string(),
    request: z.record(z.string(), z.unknown()),
    result: z.record(z.string(), z.unknown()),
  }),
  indexes: [
    { keys: { chain_id: 1, vault: 1, request_hash: 1 }, unique: true },
    { keys: { chain_id: 1, vault: 1, place: -1 }, unique: true },
  ],
});
export type SimulationDocument = DocumentOf<typeof strategySimulations>;

export const strategyCollections = (connection: Connection) => ({
  strategies: strategies.open(connection),
  lanes: strategyLanes.open(connection),
  engines: strategyEngines.open(connection),
  targets: allocationTargets.open(connection),
  recorded: strategySnapshots.open(connection),
  simulations: strategySimulations.open(connection),
});
export type StrategyCollections = ReturnType<typeof strategyCollections>;
