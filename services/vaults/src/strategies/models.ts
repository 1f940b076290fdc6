import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { StrategyFacts } from './domain/facts.ts';
import type { StrategyDocument } from './domain/strategy.ts';

/** The order of one lane; which strategies are in it is decided by the strategies themselves. */
export type LaneDocument = { _id: string; order: string[] };

export type EngineDocument = {
  /** `<chain_id>:<vault in lower case>`. */
  _id: string;
  version: number;
  kill_switch: boolean;
  max_intents_per_minute: number;
  max_active_intents: number;
};

/** What strategies saw at one block. */
export type RecordedSnapshot = {
  _id: string;
  chain_id: number;
  vault: string;
  block_number: number;
  block_time: number;
  recorded_at: Date;
  facts: StrategyFacts;
};

export type SimulationDocument = {
  _id: string;
  chain_id: number;
  vault: string;
  vault_address: string;
  name: string;
  kind: 'backtest' | 'ahead';
  /** SHA-256 of the request: the same one is kept once per vault. */
  request_hash: string;
  place: string;
  created_at: string;
  created_by: string;
  request: Record<string, unknown>;
  result: Record<string, unknown>;
};

/** A quarter: as far back as a replay of what strategies really saw can reach. */
const RECORDED_SECONDS = 90 * 86_400;

export const strategies = defineCollection({
  name: 'strategies',
  about: 'Strategies and emergency exits of vaults.',
  shape: z.custom<StrategyDocument>(),
  indexes: [{ keys: { chain_id: 1, vault: 1, state: 1 } }, { keys: { chain_id: 1, state: 1 } }],
});

export const strategyLanes = defineCollection({
  name: 'strategy_lanes',
  about: 'The order of the strategies of one lane.',
  shape: z.custom<LaneDocument>(),
});

export const strategyEngines = defineCollection({
  name: 'strategy_engines',
  about: 'The kill switch and the limits of a vault.',
  shape: z.custom<EngineDocument>(),
});

export const strategySnapshots = defineCollection({
  name: 'strategy_snapshots',
  about: 'What strategies saw at one block.',
  shape: z.custom<RecordedSnapshot>(),
  indexes: [
    { keys: { chain_id: 1, vault: 1, block_number: 1 }, unique: true },
    { keys: { recorded_at: 1 }, ttlSeconds: RECORDED_SECONDS },
  ],
});

export const strategySimulations = defineCollection({
  name: 'strategy_simulations',
  about: 'Simulations that were kept.',
  shape: z.custom<SimulationDocument>(),
  indexes: [
    { keys: { chain_id: 1, vault: 1, request_hash: 1 }, unique: true },
    { keys: { chain_id: 1, vault: 1, place: -1 }, unique: true },
  ],
});

export const strategyCollections = (connection: Connection) => ({
  strategies: strategies.open(connection),
  lanes: strategyLanes.open(connection),
  engines: strategyEngines.open(connection),
  recorded: strategySnapshots.open(connection),
  simulations: strategySimulations.open(connection),
});
export type StrategyCollections = ReturnType<typeof strategyCollections>;
