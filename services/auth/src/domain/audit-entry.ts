import type { AuditRecorded, EventData } from '@castellan/contracts';
import type { Session } from './session.ts';

/** A row for the audit log, before its request is known. */
export type AuditEntry = Omit<EventData<typeof AuditRecorded>, 'request_id'>;

type AuditedSession = Pick<Session, 'sid' | 'wallet' | 'vault'>;

/**
 * A row about a session for the audit log. `key` separates it from other rows of the same kind about the same session: the same row
 * again is no second one. `details` holds what was chosen, never a token or a signature.
 */
const entry = (
  type: string,
  { sid, wallet, vault }: AuditedSession,
  key: string,
  at: Date,
  details: object,
): AuditEntry => ({
  id: `auth:${type}:${key}`,
  timestamp: at.toISOString(),
  category: 'account',
  action_type: type,
  vault_address: vault?.vault_address ?? null,
  chain_id: vault?.chain_id ?? null,
  actor_wallet: wallet,
  details: { session_id: sid, ...details },
  tx_hash: null,
});

/** The row of a new session. */
export const signedIn = (session: Session, method: string): AuditEntry =>
  entry('signed_in', session, session.sid, session.issuedAt, { method, expires_at: session.expiresAt.toISOString() });

/** `nonce` is the one that was used up. */
export const steppedUp = (session: Session, nonce: string, at: Date): AuditEntry =>
  entry('stepped_up', session, `${session.sid}:${nonce}`, at, {});

/** The row of a token made from a session. */
export const tokenCreated = (token: Session): AuditEntry =>
  entry('token_created', token, token.sid, token.issuedAt, {
    name: token.name,
    scope: token.scope,
    vault: token.vault,
    expires_at: token.expiresAt.toISOString(),
  });

/** Why a session ended without its wallet having asked for it. */
export type EndReason = 'role_ended' | 'too_many_sessions';

/** The row of a session or token that was ended. */
export const sessionRevoked = (session: Session, at: Date, reason?: EndReason): AuditEntry =>
  entry('session_revoked', session, session.sid, at, {
    kind: session.kind,
    name: session.name,
    ...(reason === undefined ? {} : { reason }),
  });

/** Why a signing key was made. */
export type KeyChange = { why: 'first' | 'age' } | { why: 'asked'; asked_by: string; reason: string };

/** The row of a new key for signing tokens; nobody's wallet did it. */
export const keyRotated = (kid: string, because: KeyChange, at: Date): AuditEntry => ({
  id: `auth:signing_key_rotated:${kid}`,
  timestamp: at.toISOString(),
  category: 'account',
  action_type: 'signing_key_rotated',
  vault_address: null,
  chain_id: null,
  actor_wallet: null,
  details: { kid, ...because },
  tx_hash: null,
});
