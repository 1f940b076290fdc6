import { AppError, type Caller, type ResultOf, type RevokeSession } from '@castellan/contracts';
import type { EndReason } from '../domain/audit-entry.ts';
import type { Session } from '../domain/session.ts';
import { known } from './full-session.ts';
import { isOfChain } from './list-sessions.ts';

export type EndSessionPorts = {
  sessions: {
    find(sid: string): Promise<Session | undefined>;
    /** Marks it as ended. Every gateway, also one that starts later, and the audit log get it, each time again. */
    end(sid: string, at: Date, reason?: EndReason): Promise<void>;
  };
  now: () => number;
  issuer: string;
};

/**
 * Ends the caller's session. A token of another issuer has no session here: its issuer ends it. Tokens made from the session
 * stay: a job's token outlives the browser that made it.
 */
export const endSession =
  (ports: EndSessionPorts) =>
  async (asking: Caller | undefined): Promise<null> => {
    const caller = known(asking);
    if (caller.issuer === ports.issuer) await ports.sessions.end(caller.sid, new Date(ports.now()));
    return null;
  };

/** Ends any one session or token of the caller's wallet. */
export const revokeSession =
  (ports: EndSessionPorts) =>
  async ({ id }: { id: string }, asking: Caller | undefined): Promise<ResultOf<typeof RevokeSession>> => {
    const caller = known(asking);
    const session = await ports.sessions.find(id);
    if (session?.wallet !== caller.wallet_address || !isOfChain(caller, session)) {
      throw new AppError('SESSION_NOT_FOUND', 'Your wallet has no such session; GET /api/v1/auth/sessions lists them.');
    }
    await ports.sessions.end(id, new Date(ports.now()));
    return { revoked: session.revokedAt === null };
  };
