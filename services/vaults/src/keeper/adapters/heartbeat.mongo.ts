import { type DocumentOf, defineCollection, isDuplicateKey, LeaseLost } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** Without a pass for so long the keeper does not work, whatever it says. */
export const PASS_LATE_MS = 60_000;

export const keeperHeartbeats = defineCollection({
  name: 'keeper_heartbeats',
  kept: 'transient',
  about: 'What the keeper of a chain last reported.',
  shape: z.object({
    /** The chain. */
    _id: z.number(),
    /** Of the lease under which it was written. */
    token: z.number(),
    address: z.string(),
    /** The head that the last pass went over. */
    block_number: z.number(),
    /** Wei. */
    balance: z.string(),
    at: z.string(),
  }),
});
/** What the keeper of a chain last reported of itself, where it can be read while no keeper is there. */
export type Heartbeat = DocumentOf<typeof keeperHeartbeats>;

export type HeartbeatStore = {
  get(chainId: number): Promise<Heartbeat | null>;
  /** @throws LeaseLost when a newer keeper has reported itself. */
  beat(heartbeat: Heartbeat): Promise<void>;
};

export function mongoHeartbeats(connection: Connection): HeartbeatStore {
  const heartbeats = keeperHeartbeats.open(connection);
  return {
    get: (chainId) => heartbeats.findOne({ _id: chainId }),
    async beat({ _id, ...fields }) {
      try {
        await heartbeats.updateOne({ _id, token: { $lte: fields.token } }, { $set: fields }, { upsert: true });
      } catch (error) {
        // The upsert met the document of a newer lease.
        if (!isDuplicateKey(error)) throw error;
        throw new LeaseLost(`keeper:${_id}`, 'Another keeper works on the chain.');
      }
    },
  };
}
