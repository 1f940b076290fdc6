import { z } from 'zod';
import { action } from './action.ts';

/** Where the gateway puts the envelope of the user behind a request to another service's HTTP port. */
export const envelopeHeader = 'x-castellan-envelope';

/** No envelope is longer: what is, is none. */
export const longestEnvelope = 4096;

/**
 * A new envelope for a user whose session still lives, with the limits of the one that runs out. For services that work for a
 * user longer than one envelope lasts: a chat, an answer that is being written. @throws AppError TOKEN_EXPIRED, TOKEN_REVOKED.
 */
export const RenewEnvelope = action('v1.gateway.renewEnvelope', {
  callers: { services: ['ai'] },
  params: z.strictObject({ envelope: z.string().max(longestEnvelope) }),
  result: z.object({ envelope: z.string() }),
});
