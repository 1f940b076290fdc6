import type { Transmission } from '@castellan/contracts';
import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** One transmission as the validators reported it; `vault` in lower case. */
export type TransmissionDocument = Transmission & { _id: string; vault: string | null };

export const transmissions = defineCollection({
  name: 'transmissions',
  kept: 'truth',
  about: 'Transmissions as the validators reported them.',
  shape: z.custom<TransmissionDocument>(),
  indexes: [{ keys: { chain_id: 1, vault: 1, t: -1, _id: -1 } }, { keys: { t: -1 } }],
});

export const transmissionCollection = (connection: Connection) => transmissions.open(connection);
