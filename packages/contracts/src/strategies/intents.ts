import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, Eip55, Hash, IsoTime, listOf, TxHash, UintString, VaultRef } from '../primitives.ts';
import { StrategyAction, StrategyId } from './shapes.ts';

/** States of an intent; the last five are final. */
export const intentStates = [
  'RECEIVED',
  'ACKED',
  'STAGED',
  'PLANNED',
  'EXECUTING',
  'COMPLETED',
  'ABORTED',
  'EXPIRED',
  'FAILED',
  'CANCELED',
] as const;
/** One of `intentStates`. */
export const IntentState = z.enum(intentStates);
export type IntentState = z.infer<typeof IntentState>;

/**
 * One thing a strategy set out to do, from the signal to the last fill. Amounts in base units of `token_in` and `token_out`: of a rebalance
 * the shares of both sources. `token_in` of a claim is null.
 */
export const Intent = z.object({
  intent_id: z.string(),
  execution_id: z.string(),
  correlation_id: z.string(),
  strategy_id: z.string(),
  vault_id: z.string(),
  chain_id: ChainId,
  action: StrategyAction,
  state: IntentState,
  source: z.enum(['engine', 'nats', 'backfill']),
  fills_count: z.int(),
  last_event_seq: z.int(),
  created_at: IsoTime,
  acked_at: IsoTime.nullable(),
  executing_at: IsoTime.nullable(),
  completed_at: IsoTime.nullable(),
  terminal_at: IsoTime.nullable(),
  expires_at: IsoTime.nullable(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  amount: UintString,
  token_in: Eip55.nullable(),
  token_out: Eip55.nullable(),
  tx_hash: Hash.nullable(),
  total_amount_in: UintString,
  total_amount_out: UintString,
  gas_used_total: UintString,
  /** What the strategy saw and how it judged, at the block of the signal. */
  signal: z.record(z.string(), z.unknown()),
});
export type Intent = z.infer<typeof Intent>;

/** One step of an intent; `seq_num` counts from 1 within it. */
export const IntentEvent = z.object({
  event_id: z.string(),
  intent_id: z.string(),
  execution_id: z.string(),
  message_type: z.string(),
  seq_num: z.int(),
  payload: z.record(z.string(), z.unknown()),
  created_at: IsoTime,
});
export type IntentEvent = z.infer<typeof IntentEvent>;

/** What an executed intent moved. Amounts are base units of their token. A rebalance has two, of which the first has the gas of both. */
export const Fill = z.object({
  fill_id: z.string(),
  intent_id: z.string(),
  execution_id: z.string(),
  vault_id: z.string(),
  chain_id: ChainId,
  tx_hash: Hash,
  amount_in: UintString,
  amount_out: UintString,
  token_in: Eip55,
  token_out: Eip55,
  gas_used: UintString,
  fill_time: IsoTime,
  venue: z.string(),
});
export type Fill = z.infer<typeof Fill>;

/** Filters of a list of intents; all given ones must match. */
export const intentFilters = {
  strategy_id: StrategyId.optional(),
  action: StrategyAction.optional(),
  state: IntentState.optional(),
  tx_hash: TxHash.optional(),
  token_in: Address.optional(),
  token_out: Address.optional(),
  created_from: IsoTime.optional(),
  created_to: IsoTime.optional(),
  completed_from: IsoTime.optional(),
  completed_to: IsoTime.optional(),
  amount_in_min: UintString.optional(),
  amount_in_max: UintString.optional(),
  error_code: z.string().min(1).max(80).optional(),
  /** Free text, searched in ids, error codes and messages. */
  q: z.string().min(1).max(100).optional(),
};
const page = { limit: z.int().min(1).max(500).default(100), cursor: z.string().max(500).optional() };

/** Newest first. Any role on the vault. */
export const ListIntents = action('v1.vaults.listIntents', {
  callers: { user: 'read' },
  params: z.strictObject({ ...VaultRef.shape, ...intentFilters, ...page }),
  result: listOf('intents', Intent),
});
/** How many intents have a value. */
export const FacetCount = z.object({ value: z.string(), count: z.int() });
const Counts = z.array(FacetCount);
/** How many intents each value of a filter has. */
export const GetIntentFacets = action('v1.vaults.intentFacets', {
  callers: { user: 'read' },
  params: z.strictObject({ ...VaultRef.shape, ...intentFilters }),
  result: z.object({ state: Counts, action: Counts, chain: Counts, vault: Counts, strategy: Counts }),
});
const one = z.strictObject({ id: z.string().min(1).max(200) });
/** One intent. @throws AppError INTENT_NOT_FOUND. */
export const GetIntent = action('v1.vaults.getIntent', { callers: { user: 'read' }, params: one, result: Intent });
/** The steps of an intent, oldest first. @throws AppError INTENT_NOT_FOUND. */
export const ListIntentEvents = action('v1.vaults.intentEvents', {
  callers: { user: 'read' },
  params: one,
  result: z.object({ events: z.array(IntentEvent) }),
});
/** The fills of an intent. @throws AppError INTENT_NOT_FOUND. */
export const ListIntentFills = action('v1.vaults.intentFills', {
  callers: { user: 'read' },
  params: one,
  result: z.object({ fills: z.array(Fill) }),
});
/** Fills of a vault, newest first. @throws AppError CURSOR_INVALID. */
export const ListFills = action('v1.vaults.listFills', {
  callers: { user: 'read' },
  params: z.strictObject({ ...VaultRef.shape, strategy_id: StrategyId.optional(), ...page }),
  result: listOf('fills', Fill),
});
