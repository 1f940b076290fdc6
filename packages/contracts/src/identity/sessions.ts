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

type Bound = {
  vault?: { chain_id: number; vault_address: string } | undefined;
  chain_id?: number | undefined;
};

/**
 * Whether a caller counts on this chain. A key is the same on all of them; a contract that says on one chain who signs for it says nothing
 * of the same address on another one, where others may be its owners.
 */
export const isProvenOn = (caller: Pick<Bound, 'chain_id'> | undefined, chainId: number): boolean =>
  caller?.chain_id === undefined || caller.chain_id === chainId;

/** Whether a caller is bound to nothing, so that what concerns all chains and vaults of the wallet is theirs. */
export const isUnbound = (caller: Bound | undefined): boolean =>
  caller?.vault === undefined && caller?.chain_id === undefined;

/** Whether a caller counts on this vault: it is on the chain where the wallet is proven, and the one the token is bound to, if any. */
export const isWithinBinding = (caller: Bound | undefined, vault: z.output<typeof VaultRef>): boolean =>
  isProvenOn(caller, vault.chain_id) &&
  (caller?.vault === undefined ||
    (caller.vault.chain_id === vault.chain_id &&
      caller.vault.vault_address.toLowerCase() === vault.vault_address.toLowerCase()));
