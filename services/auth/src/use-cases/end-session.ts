import { AppError, type Caller, longestTokenSeconds, type ResultOf, type RevokeSession } from '@castellan/contracts';
import { type AuditEntry, type EndReason, sessionRevoked } from '../domain/audit-entry.ts';
import type { Session } from '../domain/session.ts';
import { known } from './full-session.ts';

export type EndSessionPorts = {
  sessions: {
    find(sid: string): Promise<Session | undefined>;
    revoke(sid: string, at: Date): Promise<Session | undefined>;
  };
  /** Published to every gateway, also to those that start later. */
  announce: (sid: string, expiresAt: Date) => Promise<void>;
  record: (entry: AuditEntry) => Promise<void>;
  now: () => number;
  issuer: string;
};

/** Announced again each time, because the process that announced it first may have died in between; the same message twice is one. */
export async function end(ports: EndSessionPorts, sid: string, reason?: EndReason): Promise<void> {
  const at = new Date(ports.now());
  const ended = await ports.sessions.revoke(sid, at);
  // A session that is not stored (a restored backup) may still be open in some token: it is announced all the same.
  await ports.announce(sid, ended?.expiresAt ?? new Date(at.getTime() + longestTokenSeconds * 1000));
  if (ended) await ports.record(sessionRevoked(ended, ended.revokedAt ?? at, reason));
}

/**
 * Ends the caller's session. A token of another issuer has no session here: its issuer ends it. Tokens made from the session
 * stay: a job's token outlives the browser that made it.
 */
export const endSession =
  (ports: EndSessionPorts) =>
  async (asking: Caller | undefined): Promise<null> => {
    const caller = known(asking);
    if (caller.issuer === ports.issuer) await end(ports, caller.sid);
    return null;
  };

/** Ends any one session or token of the caller's wallet. */
export const revokeSession =
  (ports: EndSessionPorts) =>
  async ({ id }: { id: string }, asking: Caller | undefined): Promise<ResultOf<typeof RevokeSession>> => {
    const caller = known(asking);
    const session = await ports.sessions.find(id);
    if (session?.wallet !== caller.wallet_address) {
      throw new AppError('SESSION_NOT_FOUND', 'Your wallet has no such session; GET /api/v1/auth/sessions lists them.');
    }
    await end(ports, id);
    return { revoked: session.revokedAt === null };
  };
