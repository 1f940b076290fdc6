import type { Purpose } from '@castellan/transactor';
import type { Address, Hash } from 'viem';
import type { SignedPrice } from '../ports.ts';
import type { About, Attempt, CancelReason, Inclusion, Intent, PendingEvent, StrategyOutcome } from './types.ts';

/** Every change of an intent, as a pure function; each result is stored in one write, together with its event. */

export function newIntent(order: {
  key: string;
  prices: readonly SignedPrice[];
  about: About;
  createdAt: Date;
  retryOf?: string;
}): Intent {
  return {
    ...{ key: order.key, kind: 'transmit', retryOf: order.retryOf ?? null, about: order.about, prices: order.prices },
    ...{ state: 'queued', dropped: [], refusals: 0, nonce: null, call: null, attempts: [], cancelReason: null },
    ...{ detail: null, inclusion: null, outcomes: [], pendingEvents: [], createdAt: order.createdAt, revision: 0 },
  };
}

/** Has a nonce that is not settled. */
export const isLive = ({ state }: Pick<Intent, 'state'>): boolean =>
  state === 'in_progress' || state === 'pending' || state === 'mined';

/** A self transfer that uses up a nonce nobody else will. */
export const newFill = (fill: {
  key: string;
  nonce: number;
  account: Address;
  attempt: Attempt;
  at: Date;
}): Intent => ({
  ...newIntent({ key: fill.key, prices: [], about: { epoch: 0, round: 0, digest: '0x' }, createdAt: fill.at }),
  ...{ kind: 'fill', state: 'in_progress', nonce: fill.nonce, attempts: [fill.attempt] },
});

export const lastAttempt = (intent: Intent): Attempt => {
  const attempt = intent.attempts.at(-1);
  if (!attempt) throw new Error(`${intent.key} has no attempt.`);
  return attempt;
};

export const nonceOf = (intent: Intent): number => {
  if (intent.nonce === null) throw new Error(`${intent.key} has no nonce.`);
  return intent.nonce;
};

/** The prices that are in the transaction. */
export const sentPrices = ({ prices, dropped }: Intent): SignedPrice[] =>
  prices.filter(({ strategy }) => !dropped.some((outcome) => sameAddress(outcome.strategy, strategy)));

export const sameAddress = (a: Address, b: Address): boolean => a.toLowerCase() === b.toLowerCase();

export const outcomesOf = (
  prices: readonly SignedPrice[],
  status: StrategyOutcome['status'],
  reason: string,
): StrategyOutcome[] => prices.map(({ strategy }) => ({ strategy, status, reason }));

export const withAttempt = (intent: Intent, attempt: Attempt): Intent => ({
  ...intent,
  attempts: [...intent.attempts, attempt],
});

/** A node has the last attempt. */
export function sent(intent: Intent, at: Date, headNumber: bigint): Intent {
  const last = lastAttempt(intent);
  const attempts = [...intent.attempts.slice(0, -1), { ...last, sentAt: at, sentBlock: last.sentBlock ?? headNumber }];
  return { ...intent, attempts, state: 'pending' };
}

const withEvent = (intent: Intent, event: PendingEvent): readonly PendingEvent[] => [...intent.pendingEvents, event];

export function mined(intent: Intent, inclusion: Inclusion, outcomes: readonly StrategyOutcome[]): Intent {
  const { hash, blockNumber, blockHash } = inclusion;
  const id = `${intent.key}:mined:${blockHash}`;
  const event: PendingEvent = { id, type: 'mined', hash, blockNumber, reason: null, outcomes };
  return { ...intent, state: 'mined', inclusion, outcomes, pendingEvents: withEvent(intent, event) };
}

/** Its block is no longer of the chain. The last attempt counts as sent at this height, so that it is not raised at once. */
export function reorged(intent: Intent, { hash, blockNumber, blockHash }: Inclusion, headNumber: bigint): Intent {
  const id = `${intent.key}:reorged:${blockHash}`;
  const event: PendingEvent = { id, type: 'reorged', hash, blockNumber, reason: null, outcomes: [] };
  const attempts = intent.attempts.map((attempt) => ({
    ...attempt,
    sentBlock: attempt.sentBlock === null ? null : headNumber,
  }));
  return {
    ...intent,
    state: 'pending',
    attempts,
    inclusion: null,
    outcomes: [],
    pendingEvents: withEvent(intent, event),
  };
}

type FinalState = 'confirmed' | 'failed' | 'superseded' | 'lost';

export function ended(
  intent: Intent,
  state: FinalState,
  outcomes: readonly StrategyOutcome[],
  reason: string | null,
): Intent {
  const { hash = null, blockNumber = null } = intent.inclusion ?? {};
  const event: PendingEvent = { id: `${intent.key}:${state}`, type: state, hash, blockNumber, reason, outcomes };
  return { ...intent, state, outcomes, pendingEvents: withEvent(intent, event) };
}

/** The end of an intent whose block stays. */
export function settled(intent: Intent): Intent {
  const { outcomes, inclusion } = intent;
  const failure = outcomes.find(({ status }) => status === 'failure');
  if (intent.kind === 'fill' || outcomes.some(({ status }) => status === 'success')) {
    return ended(intent, 'confirmed', outcomes, null);
  }
  if (failure) return ended(intent, 'failed', outcomes, failure.reason);
  return ended(intent, 'superseded', outcomes, inclusion?.purpose === 'cancel' ? intent.cancelReason : null);
}

/** What became of prices whose place an empty transaction took. */
export const cancelledOutcomes = (intent: Intent): StrategyOutcome[] => {
  const { cancelReason, detail } = intent;
  const isFailure = cancelReason === 'stuck' || cancelReason === 'rejected';
  const reason = detail ?? cancelReason ?? 'replaced';
  return [...intent.dropped, ...outcomesOf(sentPrices(intent), isFailure ? 'failure' : 'superseded', reason)];
};

export const attemptOf = (intent: Intent, hash: Hash): { purpose: Purpose } => {
  const attempt = intent.attempts.find((item) => item.hash === hash);
  if (!attempt) throw new Error(`${hash} is no attempt of ${intent.key}.`);
  return attempt;
};

/** Not older by chain time than prices may be when they are sent. */
export const freshPrices = (prices: readonly SignedPrice[], chainTime: bigint, maxAgeSeconds: number): SignedPrice[] =>
  prices.filter(({ timestamp }) => chainTime - timestamp <= BigInt(maxAgeSeconds));

export const cancelled = (intent: Intent, attempt: Attempt, reason: CancelReason, detail: string | null): Intent => ({
  ...withAttempt(intent, attempt),
  cancelReason: reason,
  detail,
});
