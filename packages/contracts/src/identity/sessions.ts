import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, DisplayName, Eip55, IsoTime, type VaultRef } from '../primitives.ts';
import { CreateToken } from './auth.ts';
import { longestTokenSeconds, TokenScope } from './token-scope.ts';

const BoundVault = z.object({ chain_id: ChainId, vault_address: Eip55 });

/** A sign-in or a token made from one. */
export const Session = z.object({
  id: z.string(),
  kind: z.enum(['session', 'token']),
  name: z.string().nullable(),
  scope: TokenScope,
  vault: BoundVault.nullable(),
  issued_at: IsoTime,
  expires_at: IsoTime,
  revoked_at: IsoTime.nullable(),
  is_current: z.boolean(),
});
export type Session = z.infer<typeof Session>;

/** Sessions and tokens of the caller's wallet that have not expired, newest first. */
export const ListSessions = action('v1.auth.sessions', {
  callers: { user: 'read' },
  params: z.strictObject({}),
  result: z.object({ sessions: z.array(Session) }),
});

/** A token with less than the session it is made from; needs a `full` session with a recent signature. Shown once. */
export const CreateScopedToken = action('v1.auth.createScopedToken', {
  callers: { user: 'full' },
  params: z.strictObject({
    name: DisplayName,
    scope: TokenScope.exclude(['full']),
    vault: z.strictObject({ chain_id: ChainId, vault_address: Address }).optional(),
    expires_in_seconds: z.int().min(300).max(longestTokenSeconds),
  }),
  result: z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().positive(),
    session: Session,
  }),
});

/** Ends one session or token of the caller's wallet everywhere within 2 s; again is no change. */
export const RevokeSession = action('v1.auth.revokeSession', {
  callers: { user: 'full' },
  params: z.strictObject({ id: z.string().max(100) }),
  result: z.object({ revoked: z.boolean() }),
});

/** A fresh signature for the running session: the same session and end, with a new `auth_time`. */
export const StepUp = action('v1.auth.stepUp', {
  callers: { user: 'full' },
  params: CreateToken.params,
  result: CreateToken.result,
});

/** Whether the vault a caller is bound to is this one; true for a caller bound to none. */
export const isWithinBinding = (
  caller: { vault?: { chain_id: number; vault_address: string } | undefined } | undefined,
  vault: z.output<typeof VaultRef>,
): boolean =>
  caller?.vault === undefined ||
  (caller.vault.chain_id === vault.chain_id &&
    caller.vault.vault_address.toLowerCase() === vault.vault_address.toLowerCase());
