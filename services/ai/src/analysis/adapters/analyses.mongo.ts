import { randomUUID } from 'node:crypto';
import { acquireLease, releaseLease, sharedReads } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { AnalysisCollections, StoredAnalysis } from '../models/collections.ts';
import type { Analyses } from '../ports.ts';

/** How long a stored analysis is kept at all; whether it still stands is asked of it. */
const keptMs = 86_400_000;

/** Analyses in the store, and the right to write one, held by one process at a time. */
export function mongoAnalyses(
  connection: Connection,
  { analyses }: AnalysisCollections,
  { leaseMs }: { leaseMs: number },
): Analyses {
  const read = sharedReads<StoredAnalysis | null>();
  return {
    async find(id) {
      const stored = await read(id, () => analyses.findOne({ _id: id }));
      if (!stored) return undefined;
      const { state, block_number: blockNumber, generated_at: generatedAt, body } = stored;
      return { state, blockNumber, generatedAt: generatedAt.getTime(), body };
    },
    async save(id, { state, blockNumber, generatedAt, body }) {
      const fields = {
        state,
        block_number: blockNumber,
        body,
        generated_at: new Date(generatedAt),
        expires_at: new Date(generatedAt + keptMs),
      };
      await analyses.updateOne({ _id: id }, { $set: fields }, { upsert: true });
    },
    async lock(id) {
      const lease = { name: `analysis:${id}`, holder: randomUUID() };
      const taken = await acquireLease(connection, { ...lease, ttlMs: leaseMs });
      return taken && (() => releaseLease(connection, lease));
    },
  };
}
