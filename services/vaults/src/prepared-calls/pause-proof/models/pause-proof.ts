import { PauseProof } from '@castellan/contracts';
import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

export const pauseProofs = defineCollection({
  name: 'pause_proofs',
  kept: 'truth',
  about: "The newest proof of a vault's panic button.",
  shape: PauseProof.omit({ is_stale: true }).extend({
    /** `<chain_id>:<vault in lower case>`. */
    _id: z.string(),
  }),
});

export const pauseProofCollection = (connection: Connection) => pauseProofs.open(connection);
