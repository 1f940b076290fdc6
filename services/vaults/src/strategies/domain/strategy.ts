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
import type { z } from 'zod';

/** A row for the audit log. */
export type AuditEvent = EventData<typeof AuditRecorded>;
/** A signal for the alerts. */
export type AlertSignal = EventData<typeof AlertSignalled>;
/** What a change is published as. */
export type ChangeEvent = AuditEvent | AlertSignal;

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

/** A strategy as it is stored. */
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
};
