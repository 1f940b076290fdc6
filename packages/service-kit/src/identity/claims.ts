import { type Caller, serviceNames, TokenScope } from '@castellan/contracts';
import { z } from 'zod';

/** No envelope and no statement is good for longer, whatever it says. */
export const longestSeconds = 60;

const service = z.enum(serviceNames);
const seconds = z.int().nonnegative();
const times = { iat: seconds, exp: seconds };

/**
 * A user's envelope, signed by the gateway. `aud` is the service it is for, `sender` the service that may present it there.
 * `relay`: that service may present it to others in turn, with this scope at most.
 */
export const EnvelopeClaims = z.object({
  iss: z.literal('gateway'),
  aud: z.string().max(100),
  sub: z.string().max(100),
  sender: service,
  scope: TokenScope,
  relay: z.object({ by: service, scope: TokenScope }).optional(),
  sid: z.string().max(200),
  issuer: z.string().max(500),
  vault: z.object({ chain_id: z.int(), vault_address: z.string().max(100) }).optional(),
  chain_id: z.int().optional(),
  auth_time: z.int().optional(),
  token_exp: seconds.optional(),
  ...times,
});
export type EnvelopeClaims = z.output<typeof EnvelopeClaims>;

/** A service's statement of who calls, signed by that service: for one service to read, from one node of the bus. */
export const StatementClaims = z.object({
  iss: service,
  sub: z.string(),
  aud: z.string().max(100),
  sender: z.string().max(200),
  ...times,
});
export type StatementClaims = z.output<typeof StatementClaims>;

/** The user of an envelope as handlers see it; a token's scope never exceeds the envelope's. */
export const callerOf = (claims: EnvelopeClaims, scope: TokenScope): Caller => ({
  wallet_address: claims.sub,
  sid: claims.sid,
  issuer: claims.issuer,
  scope,
  ...(claims.vault === undefined ? {} : { vault: claims.vault }),
  ...(claims.chain_id === undefined ? {} : { chain_id: claims.chain_id }),
  ...(claims.auth_time === undefined ? {} : { auth_time: claims.auth_time }),
  ...(claims.token_exp === undefined ? {} : { expires_at: claims.token_exp }),
});
