import type { Caller, Session as SessionAnswer } from '@castellan/contracts';
import type { Session } from '../domain/session.ts';

/** A session as its owner sees it. */
export const describeSession = (session: Session, caller: Caller, issuer: string): SessionAnswer => ({
  id: session.sid,
  kind: session.kind,
  name: session.name,
  scope: session.scope,
  vault: session.vault,
  issued_at: session.issuedAt.toISOString(),
  expires_at: session.expiresAt.toISOString(),
  revoked_at: session.revokedAt?.toISOString() ?? null,
  is_current: caller.issuer === issuer && caller.sid === session.sid,
});
