import { z } from 'zod';

/** No token of the embedded issuer lives longer: keys that signed and the list of ended sessions are kept at least as long. */
export const longestTokenSeconds = 90 * 86_400;

/**
 * What a token may do: `read` everything its wallet may read; `prepare` besides that calls for its wallet to sign; `full` also
 * every off-chain write. Roles come on top: a scope never gives more than the wallet has.
 */
export const tokenScopes = ['read', 'prepare', 'full'] as const;
/** One of `tokenScopes`. */
export const TokenScope = z.enum(tokenScopes);
export type TokenScope = z.infer<typeof TokenScope>;

/** Whether a token of scope `has` may do what takes `needs`. */
export const scopeAllows = (has: TokenScope, needs: TokenScope): boolean =>
  tokenScopes.indexOf(has) >= tokenScopes.indexOf(needs);
