import type { Connection } from 'mongoose';
import { isDuplicateKey } from './mongo.ts';

export type LeaseDocument = { _id: string; holder: string; token: number; expires_at: Date };

export type Lease = {
  /** Grows with every change of holder: writes carry it, so that a holder that lost the lease without noticing is refused. */
  readonly token: number;
};

export type LeaseOptions = { name: string; holder: string; ttlMs: number; now: () => Date };

/**
 * Takes or renews a lease in one atomic step.
 * @returns the lease while it is ours, undefined while another holds it.
 */
export async function acquireLease(
  connection: Connection,
  { name, holder, ttlMs, now }: LeaseOptions,
): Promise<Lease | undefined> {
  const leases = connection.collection<LeaseDocument>('leases');
  const at = now();
  const expires_at = new Date(at.getTime() + ttlMs);
  const renewed = await leases.findOneAndUpdate(
    { _id: name, holder },
    { $set: { expires_at } },
    { returnDocument: 'after' },
  );
  if (renewed) return { token: renewed.token };
  try {
    const taken = await leases.findOneAndUpdate(
      { _id: name, expires_at: { $lte: at } },
      { $set: { holder, expires_at }, $inc: { token: 1 } },
      { upsert: true, returnDocument: 'after' },
    );
    return taken ? { token: taken.token } : undefined;
  } catch (error) {
    if (isDuplicateKey(error)) return undefined; // Held by another: the upsert met its document.
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
