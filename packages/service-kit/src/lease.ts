import type { Collection, Connection } from 'mongoose';
import { isDuplicateKey } from './mongo.ts';

export type LeaseDocument = { _id: string; holder: string; token: number; expires_at: Date };

export type Lease = {
  /** Grows with every change of holder: writes carry it, so that a holder that lost the lease without noticing is refused. */
  readonly token: number;
};

export type LeaseOptions = { name: string; holder: string; ttlMs: number };

/**
 * Takes or renews a lease, either in one atomic step. Time is the store's: a host whose clock is ahead would take leases that others hold.
 * @returns the lease while it is ours, undefined while another holds it.
 */
export async function acquireLease(
  connection: Connection,
  { name, holder, ttlMs }: LeaseOptions,
): Promise<Lease | undefined> {
  const leases = connection.collection<LeaseDocument>('leases');
  const expires_at = { $add: ['$$NOW', ttlMs] };
  const renewed = await leases.findOneAndUpdate({ _id: name, holder }, [{ $set: { expires_at } }], {
    returnDocument: 'after',
  });
  if (renewed) return { token: renewed.token };
  const take = () =>
    leases.findOneAndUpdate(
      { _id: name, $expr: { $lte: ['$expires_at', '$$NOW'] } },
      [{ $set: { holder, expires_at, token: { $add: ['$token', 1] } } }],
      { returnDocument: 'after' },
    );
  // One that was never held is made first: no server compares with its own time in the filter of an upsert (code 224).
  const taken = (await take()) ?? ((await makeLease(leases, name)) ? await take() : null);
  return taken ? { token: taken.token } : undefined;
}

/** Makes a lease that nobody holds. @returns false when it was there. */
async function makeLease(leases: Collection<LeaseDocument>, name: string): Promise<boolean> {
  const free = { holder: '', token: 0, expires_at: new Date(0) };
  try {
    const { upsertedCount } = await leases.updateOne({ _id: name }, { $setOnInsert: free }, { upsert: true });
    return upsertedCount > 0;
  } catch (error) {
    // Another made it at the same moment, and takes it.
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Gives a lease up at once, so that another need not wait for it to expire. */
export async function releaseLease(
  connection: Connection,
  { name, holder }: Pick<LeaseOptions, 'name' | 'holder'>,
): Promise<void> {
  const leases = connection.collection<LeaseDocument>('leases');
  await leases.updateOne({ _id: name, holder }, { $set: { expires_at: new Date(0), holder: '' } });
}
