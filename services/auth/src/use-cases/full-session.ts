import { AppError, type Caller, scopeAllows } from '@castellan/contracts';
import { fits, isLive, type Session } from '../domain/session.ts';

export type FullSessionPorts = {
  sessions: { find(sid: string): Promise<Session | undefined> };
  now: () => number;
  issuer: string;
  /** Logs and counts a stored document that was not taken. */
  distrust: Distrust;
};

export type Distrust = (collection: 'sessions' | 'signing_keys' | 'nonces', id: unknown) => void;

/** Who asks; the gateway has looked at the token already. */
export const known = (caller: Caller | undefined): Caller => {
  if (!caller) throw new AppError('TOKEN_MISSING', 'Send a bearer token.');
  return caller;
};

/**
 * The caller's sign-in, for what only a sign-in may do. It is read from the store: one that was ended a moment ago, which a
 * gateway may not know yet, is ended here. What is stored must say what the token says, which is signed: tokens are made from it,
 * and anyone who can write to the store could otherwise have one made for another wallet.
 */
export async function fullSession(
  ports: FullSessionPorts,
  asking: Caller | undefined,
): Promise<{ caller: Caller; session: Session }> {
  const caller = known(asking);
  if (caller.issuer !== ports.issuer) {
    throw new AppError('SCOPE_REQUIRED', 'This needs a session of this deployment; yours was issued elsewhere.');
  }
  const { scope = 'full' } = caller;
  if (!scopeAllows(scope, 'full')) {
    throw new AppError('SCOPE_REQUIRED', `This needs a token of scope full; yours has ${scope}.`, {
      data: { scope: 'full' },
    });
  }
  const session = await ports.sessions.find(caller.sid);
  if (!session || !isLive(session, ports.now())) {
    throw new AppError('TOKEN_REVOKED', 'This session has ended. Sign in again.');
  }
  if (!fits(session, caller)) {
    ports.distrust('sessions', session.sid);
    throw new AppError('TOKEN_REVOKED', 'This session is not the one your token is for. Sign in again.');
  }
  const { vault = session.vault, chain_id: chainId = session.chainId } = caller;
  return { caller, session: { ...session, vault, chainId } };
}
