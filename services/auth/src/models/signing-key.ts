import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import { z } from 'zod';

/**
 * `generation` is unique: of several processes that rotate at once, one wins. The public key is derived from the private one. Documents
 * of before hold a `public_jwk`, which nothing reads. Others may be able to write to the store: what does not have this shape is not
 * taken for a key.
 */
export const signingKeys = defineCollection({
  name: 'signing_keys',
  // No backup holds a key. A service without one makes a new one, and what the former signed is void.
  kept: 'transient',
  about: 'Keys that sign tokens; the private part is sealed.',
  shape: z.object({
    _id: z.string().min(1),
    /** From 1. */
    generation: z.number().int().min(1).max(1_000_000_000),
    created_at: z.date(),
    sealed_private_jwk: z.string(),
  }),
  indexes: [{ keys: { generation: 1 }, unique: true }],
});
export type SigningKeyDocument = DocumentOf<typeof signingKeys>;

/** The CLI writes it, and every process of the service reads it: what was asked for before the newest key was made is done. */
export const keyRotations = defineCollection({
  name: 'key_rotations',
  kept: 'transient',
  about: 'The last rotation of signing keys that an operator asked for.',
  shape: z.object({
    _id: z.literal('asked'),
    asked_at: z.date(),
    /** The operator's account on the machine of the command. */
    asked_by: z.string().max(200),
    reason: z.string().max(500),
  }),
});
