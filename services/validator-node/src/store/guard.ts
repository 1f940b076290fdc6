import type { Hex } from 'viem';
import { type EntryRefusal, type GuardRefusal, type SignedEntry, strategyKey } from '../ports.ts';

/**
 * What one signer has signed. Rounds count per configuration; prices do not: a price signature names no configuration, so two
 * configurations must not get two prices for one nonce and time.
 */
export type SignedSoFar = {
  rounds: Readonly<Record<Hex, { epoch: number; round: number }>>;
  entries: Readonly<Record<string, { nonce: bigint; timestamp: bigint }>>;
  /** What was signed before this record was made is not known: nothing is signed until an epoch was waited out. */
  recovering?: boolean;
};

/** Above every round of an epoch: what is signed next is of a later one. */
const LAST_ROUND = 255;

export type SignRequest = {
  digest: Hex;
  epoch: number;
  round: number;
  entries: readonly SignedEntry[];
  /** Nonces of the canonical chain as this node sees them, by `strategyKey`. */
  canonicalNonces: ReadonlyMap<string, bigint>;
};

/** `refusals`: by entry, null for what may be signed; `after`: what has then been signed. */
export type Judgement = { refusals: readonly (EntryRefusal | null)[]; after: SignedSoFar };

/**
 * Whether a report may be signed, and what has then been signed. (epoch, round) must lie above the last, and so must the time
 * of each price: then no nonce and time are ever signed twice, whichever way the chain goes. A nonce below the last is possible
 * only when the chain itself went back to it. An entry is refused alone, so that a chain that stands still holds up no other.
 */
export function judge(before: SignedSoFar, request: SignRequest): GuardRefusal | Judgement {
  const { digest, epoch, round } = request;
  if (before.recovering) return 'recovering';
  const last = before.rounds[digest];
  if (last && (epoch < last.epoch || (epoch === last.epoch && round <= last.round))) return 'round_not_above';
  const entries = { ...before.entries };
  const refusals = request.entries.map(({ chainId, strategy, nonce, timestamp }): EntryRefusal | null => {
    const key = strategyKey(chainId, strategy);
    const signed = entries[key];
    if (signed && nonce < signed.nonce && request.canonicalNonces.get(key) !== nonce) return 'nonce_not_above';
    if (signed && timestamp <= signed.timestamp) return 'timestamp_not_above';
    entries[key] = { nonce, timestamp };
    return null;
  });
  const [first] = refusals;
  if (first && refusals.every((refusal) => refusal !== null)) return first;
  return { refusals, after: { rounds: { ...before.rounds, [digest]: { epoch, round } }, entries } };
}

/** The record after this epoch was waited out. */
export const recovered = ({ rounds, entries }: SignedSoFar, digest: Hex, epoch: number): SignedSoFar =>
  strictest({ rounds, entries }, { rounds: { [digest]: { epoch, round: LAST_ROUND } }, entries: {} });

/** The stricter of two records in every part: what an import leaves. */
export function strictest(one: SignedSoFar, two: SignedSoFar): SignedSoFar {
  const rounds = { ...one.rounds };
  for (const [digest, theirs] of Object.entries(two.rounds) as [Hex, { epoch: number; round: number }][]) {
    const own = rounds[digest];
    const isHigher = !own || theirs.epoch > own.epoch || (theirs.epoch === own.epoch && theirs.round > own.round);
    if (isHigher) rounds[digest] = theirs;
  }
  const entries = { ...one.entries };
  for (const [key, theirs] of Object.entries(two.entries)) {
    const own = entries[key];
    entries[key] = {
      nonce: own && own.nonce > theirs.nonce ? own.nonce : theirs.nonce,
      timestamp: own && own.timestamp > theirs.timestamp ? own.timestamp : theirs.timestamp,
    };
  }
  return { rounds, entries, ...((one.recovering || two.recovering) && { recovering: true }) };
}
