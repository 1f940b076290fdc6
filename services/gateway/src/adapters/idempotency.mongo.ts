import { defineCollection, isDuplicateKey, type ServiceContext } from '@castellan/service-kit';
import { z } from 'zod';

type Connection = ServiceContext['mongo'];

/** An answer as it was given the first time. */
export type StoredAnswer = { status: number; media: string; body: string | null };

type KeyDocument = {
  _id: string;
  fingerprint: string;
  answer: StoredAnswer | null;
  /** A request that began and never ended (its gateway died) frees its key at this time. */
  locked_until: Date;
  expires_at: Date;
};

export const idempotencyKeys = defineCollection({
  name: 'idempotency_keys',
  // An answer may hold a token.
  kept: 'transient',
  about: 'Answers to requests with an Idempotency-Key, for a day.',
  shape: z.custom<KeyDocument>(),
  indexes: [{ keys: { expires_at: 1 }, ttlSeconds: 0 }],
});

export type Claim =
  | { kind: 'mine'; lockedUntil: Date }
  | { kind: 'answered'; answer: StoredAnswer }
  | { kind: 'running' }
  | { kind: 'reused' };

export type IdempotencyStore = {
  /** Claims a key in one atomic step. */
  claim(id: string, fingerprint: string): Promise<Claim>;
  keep(id: string, claim: Claim, answer: StoredAnswer): Promise<void>;
  /** Frees the key: the request failed on our side and may be tried again. */
  release(id: string, claim: Claim): Promise<void>;
};

const keepMs = 24 * 3600 * 1000;
const lockMs = 60_000;

export function mongoIdempotency(connection: Connection, now: () => number) {
  const keys = idempotencyKeys.open(connection);
  const claimOnce = async (id: string, fingerprint: string): Promise<Claim | undefined> => {
    const nowMs = now();
    const lockedUntil = new Date(nowMs + lockMs);
    const fresh = { fingerprint, answer: null, locked_until: lockedUntil, expires_at: new Date(nowMs + keepMs) };
    try {
      await keys.insertOne({ _id: id, ...fresh });
      return { kind: 'mine', lockedUntil };
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const found = await keys.findOne({ _id: id });
    if (!found) return undefined;
    const isPast = found.expires_at.getTime() <= nowMs;
    if (!isPast && found.fingerprint !== fingerprint) return { kind: 'reused' };
    if (!isPast && found.answer) return { kind: 'answered', answer: found.answer };
    if (!isPast && found.locked_until.getTime() > nowMs) return { kind: 'running' };
    const taken = await keys.findOneAndUpdate({ _id: id, locked_until: found.locked_until }, { $set: fresh });
    return taken ? { kind: 'mine', lockedUntil } : undefined;
  };
  const ours = (id: string, claim: Claim) => ({
    _id: id,
    locked_until: claim.kind === 'mine' ? claim.lockedUntil : new Date(0),
  });
  const store: IdempotencyStore = {
    async claim(id, fingerprint) {
      // Lost races leave something to read the next time; three rounds are more than can be lost in practice.
      for (let round = 0; round < 3; round += 1) {
        const claim = await claimOnce(id, fingerprint);
        if (claim) return claim;
      }
      return { kind: 'running' };
    },
    async keep(id, claim, answer) {
      await keys.updateOne(ours(id, claim), { $set: { answer } });
    },
    async release(id, claim) {
      await keys.deleteOne(ours(id, claim));
    },
  };
  return store;
}
