import { type Connection, Schema } from 'mongoose';
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

const plain = (collection: string) =>
  new Schema({ _id: String }, { versionKey: false, collection, strict: false, minimize: false });

const strategies = plain('strategies');
strategies.index({ chain_id: 1, vault: 1, state: 1 });
strategies.index({ chain_id: 1, state: 1 });
const recorded = plain('strategy_snapshots');
recorded.index({ chain_id: 1, vault: 1, block_number: 1 }, { unique: true });
recorded.index({ recorded_at: 1 }, { expireAfterSeconds: RECORDED_SECONDS });
const simulations = plain('strategy_simulations');
simulations.index({ chain_id: 1, vault: 1, request_hash: 1 }, { unique: true });
simulations.index({ chain_id: 1, vault: 1, place: -1 }, { unique: true });
const lanes = plain('strategy_lanes');
const engines = plain('strategy_engines');

export function strategyCollections(connection: Connection) {
  connection.model('Strategy', strategies);
  connection.model('StrategyLane', lanes);
  connection.model('StrategyEngine', engines);
  connection.model('StrategySnapshot', recorded);
  connection.model('StrategySimulation', simulations);
  return {
    strategies: connection.collection<StrategyDocument>('strategies'),
    lanes: connection.collection<LaneDocument>('strategy_lanes'),
    engines: connection.collection<EngineDocument>('strategy_engines'),
    recorded: connection.collection<RecordedSnapshot>('strategy_snapshots'),
    simulations: connection.collection<SimulationDocument>('strategy_simulations'),
  };
}
export type StrategyCollections = ReturnType<typeof strategyCollections>;
