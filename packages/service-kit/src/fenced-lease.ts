import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import { defineCollection } from './collection.ts';
import { isDuplicateKey } from './mongo.ts';

/** The leases of a service; one that has ended stays, for its token. */
export const leases = defineCollection({
  name: 'leases',
  // Documents name the token they were written under: a count that began anew would have every writer refused.
  kept: 'truth',
  about:
    'Who may do the work that `_id` names, until when by the clock of the store, and the token of the last holder.',
  shape: z.object({ _id: z.string(), holder: z.string(), token: z.number(), expires_at: z.date() }),
});

/** A lease that is held. */
export type Lease = {
  /** Grows with every change of holder: writes carry it, so that a holder that lost the lease without noticing is refused. */
  readonly token: number;
};

/** Another process holds the lease now, or has written under it: what was planned under it must be planned again. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  readonly lease: string;

  /** @param lease - Name of the lease. @param what - What this writer could not do. */
  constructor(lease: string, what = 'Another process holds it now, or has written under it.') {
    super(`The lease ${lease} is lost. ${what}`);
    this.lease = lease;
  }
}

/** `holder` is unique to the process; the lease ends `ttlMs` after it was last acquired. */
export type LeaseOptions = { name: string; holder: string; ttlMs: number };

/**
 * Takes or renews a lease, in one atomic step that leaves one alone that another holds. Time is the store's: a host whose clock is
 * ahead would take leases that others hold.
 * @returns the lease while it is ours, undefined while another holds it.
 */
export async function acquireLease(
  connection: Connection,
  { name, holder, ttlMs }: LeaseOptions,
): Promise<Lease | undefined> {
  const isOurs = { $eq: ['$holder', holder] };
  const isOver = { $lte: [{ $ifNull: ['$expires_at', new Date(0)] }, '$$NOW'] };
  const isFree = { $or: [isOurs, isOver] };
  const taken = { $add: [{ $ifNull: ['$token', 0] }, 1] };
  // Not in the filter: no server compares with its own time in that of an upsert (QueryFeatureNotAllowed, code 224).
  const fields = {
    holder: { $cond: [isFree, holder, '$holder'] },
    token: { $cond: [isOurs, '$token', { $cond: [isOver, taken, '$token'] }] },
    expires_at: { $cond: [isFree, { $add: ['$$NOW', ttlMs] }, '$expires_at'] },
  };
  try {
    const lease = await leases.open(connection).findOneAndUpdate({ _id: name }, [{ $set: fields }], {
      upsert: true,
      returnDocument: 'after',
    });
    return lease?.holder === holder ? { token: lease.token } : undefined;
  } catch (error) {
    // Another made it at the same moment.
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}

/**
 * Renews leases of one holder in one write.
 * @returns the names of those that are no longer its own; the others are renewed.
 */
export async function renewLeases(
  connection: Connection,
  { names, holder, ttlMs }: { names: readonly string[]; holder: string; ttlMs: number },
): Promise<string[]> {
  const held = leases.open(connection);
  const own = { _id: { $in: [...names] }, holder };
  const { matchedCount } = await held.updateMany(own, [{ $set: { expires_at: { $add: ['$$NOW', ttlMs] } } }]);
  if (matchedCount === names.length) return [];
  const kept = new Set((await held.find(own).toArray()).map(({ _id }) => _id));
  return names.filter((name) => !kept.has(name));
}

/** Gives a lease up at once, so that another need not wait for it to expire. */
export async function releaseLease(
  connection: Connection,
  { name, holder }: Pick<LeaseOptions, 'name' | 'holder'>,
): Promise<void> {
  await leases.open(connection).updateOne({ _id: name, holder }, { $set: { expires_at: new Date(0), holder: '' } });
}

/** A lease as one holder asks for it. */
export type NamedLease = {
  readonly name: string;
  /** How long it lasts after it was taken or renewed, by the store's clock. */
  readonly ttlMs: number;
  /** Takes or renews it. @returns undefined while another holds it. */
  take(): Promise<Lease | undefined>;
  /** Gives it up, if it is held. */
  release(): Promise<void>;
};

/** The lease of a name in the collection `leases`, for a holder of its own. */
export function namedLease(connection: Connection, { name, ttlMs }: Pick<LeaseOptions, 'name' | 'ttlMs'>): NamedLease {
  const holder = randomUUID();
  return {
    name,
    ttlMs,
    take: () => acquireLease(connection, { name, holder, ttlMs }),
    release: () => releaseLease(connection, { name, holder }),
  };
}
