import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import { isAddress } from 'viem/utils';
import { z } from 'zod';

/** Others may be able to write to the store: what does not have this shape is not taken for a nonce. */
export const nonces = defineCollection({
  name: 'nonces',
  kept: 'transient',
  about: 'Nonces that wait for a signature.',
  shape: z.object({
    _id: z.string().min(1),
    address: z.string().refine((text): boolean => isAddress(text, { strict: false })),
    /** Where it was asked for; it is handed out again to nobody else. */
    network: z.unknown().optional(),
    chain_id: z.number().int(),
    issued_at: z.date(),
    expires_at: z.date(),
  }),
  indexes: [{ keys: { address: 1, network: 1, expires_at: -1 } }, { keys: { expires_at: 1 }, ttlSeconds: 60 }],
});
export type NonceDocument = DocumentOf<typeof nonces>;
