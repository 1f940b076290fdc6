import type {
  AlertMetric,
  AlertSignalled,
  EventData,
  MetricValue,
  OwnRuleDefinition,
  OwnRuleId,
} from '@castellan/contracts';

/**
 * What became known of a vault, in the order it became known, reduced to what rules judge. Amounts are decimal strings in base
 * units, times Unix seconds of the chain. The live evaluator and a back-test read the same items.
 */
export type FactEvent =
  | { type: 'deployed'; name: string }
  | ({ type: 'observed' } & Observed)
  | { type: 'paused' | 'unpaused' }
  | { type: 'reported'; timestamp: number }
  | { type: 'refused'; reason: string }
  /** `balance`: as the event has it, before the amount is taken. */
  | { type: 'spent'; amount: string; balance: string }
  | { type: 'deposited' | 'withdrawn'; amount: string }
  | { type: 'interval_changed' }
  | { type: 'requested'; controller: string }
  | { type: 'settled'; controller: string }
  | { type: 'proposed'; what: Proposal; detail: string; effective_at: number }
  | { type: 'decided'; what: Proposal }
  | { type: 'veto'; scope: 'strategy' | 'global'; on: boolean }
  | { type: 'signal'; kind: SignalKind; subject: string; failing: boolean; detail: string }
  /** `index`: of the node in the configuration that it ran then. Items from before `node_id` was kept name a node by its index alone. */
  | { type: 'node_price'; node_id?: string; index: number | null; stale: boolean }
  | ({ type: 'sample' } & Sample)
  | { type: 'settings'; rule_id: string; settings: Settings }
  /** Null: it was deleted. */
  | { type: 'own_rule'; rule_id: OwnRuleId; rule: OwnRuleSet | null }
  /** Figures that own rules need, at an observation: its block and time, and each value by `readingKey`; null where there was none. */
  | { type: 'measured'; block: number; at: number; values: Readonly<Record<string, MetricValue | null>> }
  | { type: 'rollback'; from_block: number };

/** What fails or works by the word of a service: see `AlertSignalled`. */
export type SignalKind = EventData<typeof AlertSignalled>['kind'];

/** What can be proposed and then waits for its timelock. */
export type Proposal = 'manager' | 'root' | 'fees' | 'upkeep_withdrawal';

/** What was observed of a vault beside its log; times in Unix seconds, amounts in base units. */
export type Observed = {
  is_paused: boolean;
  is_stale: boolean;
  last_update: number;
  expiration_seconds: number;
  upkeep_enabled: boolean;
  upkeep_balance: string;
  upkeep_cost: string | null;
  /** Calculated over current price, and the chain's guard; null when unknown or switched off. */
  divergence_bps: number | null;
  guard_bps: number | null;
};

/** What is in no chain log, as it was read. Absent: not read. */
export type Sample = {
  /** Members of the network; `node_id` is absent or null while nobody has heard of the node under this configuration. */
  nodes?: { index: number; node_id?: string | null; silent: boolean }[];
  gas?: { wallet: string; role: string; balance: string }[];
  /** `down_since`: by the server's clock, in Unix seconds. */
  services?: { name: string; up: boolean; down_since?: number }[];
  transmissions?: { attempts: number; successes: number };
  pause_proof?: { ok: boolean; old: boolean; reason: string | null };
};

/** An own rule as managers set it, with what its amounts are shown in. */
export type OwnRuleSet = OwnRuleDefinition & { asset: { symbol: string; decimals: number } };

/** The figures of one observation. */
export type Measured = Extract<FactEvent, { type: 'measured' }>;

/** A figure at an observation, or that long before it. */
export type Reading = { metric: AlertMetric; ago_seconds: number };

/** How a rule is set: when it opens (`for_seconds`) and when it clears. */
export type Settings = {
  enabled: boolean;
  thresholds: Record<string, number>;
  for_seconds: number;
  clear_seconds: number;
  owner: string;
};

/** Events that became known together and are judged together: those of one block, or one reading. */
export type JournalItem = {
  /** Place in the vault's journal, from 1 without gaps. */
  n: number;
  /** Chain time in Unix seconds; never less than that of the item before. */
  time: number;
  block: number | null;
  events: readonly FactEvent[];
};
