import type { PreparedState } from '@castellan/contracts';
import type { PreparedDocument } from './prepared-call.ts';

/** What the chain shows of a call's transaction, read in one go. */
export type Observation = {
  /** As the node knows it; `carries`: it makes exactly the prepared call. */
  transaction: { from: string; nonce: number; carries: boolean } | null;
  receipt: { succeeded: boolean; blockNumber: bigint; blockHash: string; revertReason: string | null } | null;
  /** Another transaction with its nonce is as deep as the chain's confirmations. */
  nonceTaken: boolean;
  head: bigint;
  /** What the chain says of the post-condition after its block; null until that can be asked. */
  post: { ok: boolean; actual: string | number | boolean | null } | null;
};

type Tracked = Pick<PreparedDocument, 'status' | 'tx' | 'expires_at' | 'settled' | 'post'>;
type Changes = Partial<Pick<PreparedDocument, 'settled' | 'tx' | 'revert_reason' | 'post'>>;
/** The next step: a new state, or (without one) something learnt within it. */
export type Transition = { state?: PreparedState; changes: Changes };

/** A call whose transaction no node has seen for this long counts as replaced. */
export const UNSEEN_SECONDS = 3600;

const unknownPost = { ok: null, actual: null };
const secondsSince = (time: Date, now: Date): number => (now.getTime() - time.getTime()) / 1000;

/** Without a receipt: waiting, replaced, or taken out of its block by a reorg. */
function withoutReceipt(
  { status, tx }: Tracked & { tx: NonNullable<Tracked['tx']> },
  { transaction, nonceTaken }: Observation,
  now: Date,
): Transition | undefined {
  if (status !== 'broadcast')
    return {
      state: 'broadcast',
      changes: { tx: { ...tx, block_number: null, block_hash: null }, revert_reason: null, post: unknownPost },
    };
  if (transaction)
    return tx.nonce === null
      ? { changes: { tx: { ...tx, from: transaction.from, nonce: transaction.nonce } } }
      : undefined;
  const neverSeen = tx.nonce === null && secondsSince(tx.reported_at, now) >= UNSEEN_SECONDS;
  return nonceTaken || neverSeen ? { state: 'replaced', changes: { settled: true } } : undefined;
}

/**
 * What becomes of a call next by what the chain shows; undefined for nothing. Pure, and one step at a time, so that each state
 * is in the history.
 *
 * A transaction that the node did not know when it was reported is checked as soon as it does: one that does not carry the call ends
 * as `replaced`, as does one that no node has seen within an hour. The right one may be reported then. A reverted call
 * is watched until its block is deep, because a reorg may give it another chance.
 */
export function transition(
  call: Tracked,
  seen: Observation,
  { now, confirmations }: { now: Date; confirmations: number },
): Transition | undefined {
  const { status, tx, settled } = call;
  if (settled) return undefined;
  if (status === 'prepared' || !tx)
    return now >= call.expires_at ? { state: 'expired', changes: { settled: true } } : undefined;
  if (seen.transaction && !seen.transaction.carries) return { state: 'replaced', changes: { settled: true } };
  const { receipt, head, post } = seen;
  if (!receipt) return withoutReceipt({ ...call, tx }, seen, now);
  if (status === 'broadcast') {
    const { from = tx.from, nonce = tx.nonce } = seen.transaction ?? {};
    const mined = { ...tx, from, nonce, block_number: Number(receipt.blockNumber), block_hash: receipt.blockHash };
    return receipt.succeeded
      ? { state: 'mined', changes: { tx: mined } }
      : { state: 'reverted', changes: { tx: mined, revert_reason: receipt.revertReason } };
  }
  // Mined again in another block: it goes the whole way again.
  if (receipt.blockHash !== tx.block_hash) return withoutReceipt({ ...call, tx }, { ...seen, receipt: null }, now);
  const isDeep = head - receipt.blockNumber >= BigInt(confirmations);
  if (status === 'reverted') return isDeep ? { changes: { settled: true } } : undefined;
  if (status === 'mined') {
    if (isDeep) return { state: 'confirmed', changes: {} };
    const isNew = post !== null && (post.ok !== call.post.ok || post.actual !== call.post.actual);
    return isNew ? { changes: { post } } : undefined;
  }
  if (status === 'confirmed' && post)
    return { state: post.ok ? 'verified' : 'failed_post_condition', changes: { post, settled: true } };
  return undefined;
}
