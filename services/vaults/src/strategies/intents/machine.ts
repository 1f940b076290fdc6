import type { IntentState } from '@castellan/contracts';

/** A transaction as it was signed, kept before it is sent: a process that starts again after a crash sends this one again, never another. */
export type SignedTransaction = {
  readonly hash: string;
  readonly nonce: number;
  readonly raw: string;
  readonly from: string;
};

export type FillFacts = {
  readonly fill_id: string;
  readonly tx_hash: string;
  readonly amount_in: string;
  readonly amount_out: string;
  readonly token_in: string;
  readonly token_out: string;
  readonly gas_used: string;
  readonly fill_time: string;
  readonly venue: string;
};

/** What can happen to an intent. */
export type IntentEvent =
  | { readonly type: 'ACK' }
  | { readonly type: 'STAGE' }
  | { readonly type: 'PLAN'; readonly plan: Readonly<Record<string, unknown>> }
  | { readonly type: 'EXECUTE'; readonly transaction: SignedTransaction }
  | { readonly type: 'FILL'; readonly fill: FillFacts }
  | { readonly type: 'COMPLETE' }
  | { readonly type: 'ABORT' | 'EXPIRE' | 'FAIL' | 'CANCEL'; readonly code: string; readonly message: string };
export type IntentEventType = IntentEvent['type'];

export const terminalStates: readonly IntentState[] = ['COMPLETED', 'ABORTED', 'EXPIRED', 'FAILED', 'CANCELED'];
export const isTerminal = (state: IntentState): boolean => terminalStates.includes(state);

const beforeSending = ['RECEIVED', 'ACKED', 'STAGED', 'PLANNED'] as const;

/** From which states an event is possible, and where it leads. Once a transaction is signed, only the chain decides. */
const steps: Readonly<Record<IntentEventType, { from: readonly IntentState[]; to: IntentState }>> = {
  ACK: { from: ['RECEIVED'], to: 'ACKED' },
  STAGE: { from: ['ACKED'], to: 'STAGED' },
  PLAN: { from: ['STAGED'], to: 'PLANNED' },
  EXECUTE: { from: ['PLANNED'], to: 'EXECUTING' },
  FILL: { from: ['EXECUTING'], to: 'EXECUTING' },
  COMPLETE: { from: ['EXECUTING'], to: 'COMPLETED' },
  ABORT: { from: beforeSending, to: 'ABORTED' },
  EXPIRE: { from: beforeSending, to: 'EXPIRED' },
  CANCEL: { from: beforeSending, to: 'CANCELED' },
  FAIL: { from: [...beforeSending, 'EXECUTING'], to: 'FAILED' },
};

/** The state an event leads to; undefined when it cannot happen now. */
export function stateAfter(state: IntentState, event: IntentEventType): IntentState | undefined {
  const { from, to } = steps[event];
  return from.includes(state) ? to : undefined;
}

/** The times, fill totals and errors that an event leaves behind. */
export type IntentProgress = {
  acked_at: string | null;
  executing_at: string | null;
  completed_at: string | null;
  terminal_at: string | null;
  error_code: string | null;
  error_message: string | null;
  transaction: SignedTransaction | null;
  fills: FillFacts[];
  total_amount_in: string;
  total_amount_out: string;
  gas_used_total: string;
};

export const noProgress: IntentProgress = {
  acked_at: null,
  executing_at: null,
  completed_at: null,
  terminal_at: null,
  error_code: null,
  error_message: null,
  transaction: null,
  fills: [],
  total_amount_in: '0',
  total_amount_out: '0',
  gas_used_total: '0',
};

const sum = (a: string, b: string): string => `${BigInt(a) + BigInt(b)}`;

/** What an intent gives, and what it gets; null where nothing is known of it. */
type IntentTokens = { readonly token_in: string | null; readonly token_out: string | null };

/** The same fill again changes nothing. A token that is only passed through is in no total: totals are of the intent's own tokens. */
function filled(before: IntentProgress, fill: FillFacts, tokens: IntentTokens): IntentProgress {
  if (before.fills.some(({ fill_id }) => fill_id === fill.fill_id)) return before;
  const isOwn = (side: keyof IntentTokens) => tokens[side] === null || tokens[side] === fill[side];
  return {
    ...before,
    fills: [...before.fills, fill],
    total_amount_in: isOwn('token_in') ? sum(before.total_amount_in, fill.amount_in) : before.total_amount_in,
    total_amount_out: isOwn('token_out') ? sum(before.total_amount_out, fill.amount_out) : before.total_amount_out,
    gas_used_total: sum(before.gas_used_total, fill.gas_used),
  };
}

/** What is known of an intent after an event that {@link stateAfter} allows. */
export function progressAfter(
  before: IntentProgress,
  event: IntentEvent,
  at: string,
  tokens: IntentTokens,
): IntentProgress {
  switch (event.type) {
    case 'ACK':
      return { ...before, acked_at: at };
    case 'EXECUTE':
      return { ...before, executing_at: at, transaction: event.transaction };
    case 'FILL':
      return filled(before, event.fill, tokens);
    case 'COMPLETE':
      return { ...before, completed_at: at, terminal_at: at };
    case 'ABORT':
    case 'EXPIRE':
    case 'FAIL':
    case 'CANCEL':
      return { ...before, terminal_at: at, error_code: event.code, error_message: event.message };
    default:
      return before;
  }
}

/** What the history shows of an event: everything but the signed bytes, which anybody could send. */
export function payloadOf(event: IntentEvent): Record<string, unknown> {
  const { type: _type, ...rest } = event;
  if (event.type !== 'EXECUTE') return rest;
  const { raw: _raw, ...shown } = event.transaction;
  return { transaction: shown };
}
