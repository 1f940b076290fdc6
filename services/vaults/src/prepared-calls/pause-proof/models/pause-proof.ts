import type { PauseProof } from '@castellan/contracts';
import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** The newest proof of a vault's panic button; whether it is stale depends on when it is asked for. */
export type PauseProofDocument = Omit<PauseProof, 'is_stale'> & {
  /** `<chain_id>:<vault in lower case>`. */
  _id: string;
};

export const pauseProofs = defineCollection({
  name: 'pause_proofs',
  about: "The newest proof of a vault's panic button.",
  shape: z.custom<PauseProofDocument>(),
});

export const pauseProofCollection = (connection: Connection) => pauseProofs.open(connection);
