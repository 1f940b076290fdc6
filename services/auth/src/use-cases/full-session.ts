import { AppError, type Caller, scopeAllows } from '@castellan/contracts';
import { isLive, type Session } from '../domain/session.ts';

export type FullSessionPorts = {
  sessions: { find(sid: string): Promise<Session | undefined> };
  now: () => number;
  issuer: string;
};

/** Who asks; the gateway has looked at the token already. */
export const known = (caller: Caller | undefined): Caller => {
  if (!caller) throw new AppError('TOKEN_MISSING', 'Send a bearer token.');
  return caller;
};

/**
 * The caller's sign-in, for what only a sign-in may do. It is read from the store: one that was ended a moment ago, which a
 * gateway may not know yet, is ended here.
 */
export async function fullSession(
  ports: FullSessionPorts,
  asking: Caller | undefined,
): Promise<{ caller: Caller; session: Session }> {
  const caller = known(asking);
  if (caller.issuer !== ports.issuer) {
    throw new AppError('SCOPE_REQUIRED', 'This takes a session of this deployment; yours is kept by another issuer.');
  }
  const { scope = 'full' } = caller;
  if (!scopeAllows(scope, 'full')) {
    throw new AppError('SCOPE_REQUIRED', `This takes a token of scope full; yours has ${scope}.`, {
      data: { scope: 'full' },
    });
  }
  const session = await ports.sessions.find(caller.sid);
  if (!session || !isLive(session, ports.now())) {
    throw new AppError('TOKEN_REVOKED', 'This session was ended. Sign in again.');
  }
  return { caller, session };
}
