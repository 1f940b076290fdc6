import { TokenScope } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import { isAddress } from 'viem/utils';
import { z } from 'zod';

const address = z.string().refine((text): boolean => isAddress(text, { strict: false }));

/**
 * A sign-in, or a token made from one (`parent`). Documents of before tokens have no `kind`: they are sign-ins. Others may be able to
 * write to the store: what does not have this shape is not taken for a session.
 */
export const sessions = defineCollection({
  name: 'sessions',
  // One that ended after the backup must not be open again.
  kept: 'transient',
  about: 'Sign-ins and the tokens made from them, until a day after they expire.',
  shape: z.object({
    _id: z.string().min(1),
    kind: z.enum(['session', 'token']).optional(),
    name: z.string().nullish(),
    scope: TokenScope.optional(),
    vault: z.object({ chain_id: z.number().int(), vault_address: address }).nullish(),
    parent: z.string().nullish(),
    /** Absent: signed with the wallet's key, or of before chains were kept. */
    chain_id: z.number().int().nullish(),
    auth_time: z.date().optional(),
    wallet_address: address,
    issued_at: z.date(),
    expires_at: z.date(),
    revoked_at: z.date().nullish(),
  }),
  indexes: [
    { keys: { wallet_address: 1 } },
    { keys: { 'vault.vault_address': 1 }, sparse: true },
    { keys: { expires_at: 1 }, ttlSeconds: 86_400 },
  ],
});
export type SessionDocument = DocumentOf<typeof sessions>;
