import type {
  ActionConfig,
  AlertSignalled,
  AuditRecorded,
  ConvictionConfig,
  EventData,
  Indicator,
  RiskParams,
  RuleNode,
  StrategyLane,
  StrategyState,
  StrategyWarning,
} from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';
import type { z } from 'zod';
import type { StrategyFacts } from './domain/facts.ts';

export type AuditEvent = EventData<typeof AuditRecorded>;
export type AlertSignal = EventData<typeof AlertSignalled>;
/** What a change owes to others: kept with it until it waits in the outbox. */
export type Owed = AuditEvent | AlertSignal;

/** What an editor writes of a strategy; the hook of an emergency exit is found when it is used. */
export type StoredDefinition = {
  name: string;
  indicators: z.infer<typeof Indicator>[];
  rules: RuleNode;
  conviction_config: z.infer<typeof ConvictionConfig>;
  action_config: Omit<z.infer<typeof ActionConfig>, 'execution_address'> & { execution_address: string | null };
  risk_params: z.infer<typeof RiskParams>;
  max_concurrent: number;
  cooldown_ms: number;
};

export type StrategyDocument = {
  _id: string;
  /** Grows with every change. */
  version: number;
  chain_id: number;
  /** Lower case, as `target`. */
  vault: string;
  vault_address: string;
  kind: 'USER_DEFINED' | 'EMERGENCY_EXIT';
  state: z.infer<typeof StrategyState>;
  lane: z.infer<typeof StrategyLane>;
  target: string;
  /** Expressions in base units and addresses, whatever they were written in. */
  definition: StoredDefinition;
  /** Absent from those that were saved before units could be written: they are in base units. */
  written_in?: 'units' | 'base_units';
  warnings: z.infer<typeof StrategyWarning>[];
  error: string | null;
  armed: { started_at: string; reason: string | null; by: string } | null;
  created_at: string;
  created_by: string | null;
  updated_at: string;
  updated_by: string | null;
  /** Rows of the audit log and signals for the alerts. */
  owed: Owed[];
};

/** The order of one lane; which strategies are in it is decided by the strategies themselves. */
export type LaneDocument = { _id: string; order: string[]; owed: AuditEvent[] };

export type EngineDocument = {
  /** `<chain_id>:<vault in lower case>`. */
  _id: string;
  version: number;
  kill_switch: boolean;
  max_intents_per_minute: number;
  max_active_intents: number;
  owed: AuditEvent[];
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
  owed: AuditEvent[];
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
const owing = [strategies, plain('strategy_lanes'), plain('strategy_engines'), simulations] as const;
for (const schema of owing)
  schema.index({ 'owed.id': 1 }, { partialFilterExpression: { 'owed.id': { $exists: true } } });

export function strategyCollections(connection: Connection) {
  connection.model('Strategy', strategies);
  connection.model('StrategyLane', owing[1]);
  connection.model('StrategyEngine', owing[2]);
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
