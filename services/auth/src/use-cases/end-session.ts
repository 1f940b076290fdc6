import { AppError, type Caller } from '@castellan/contracts';

export type EndSessionPorts = {
  sessions: { revoke(sid: string, at: Date): Promise<Date | undefined> };
  /** Tells every gateway, also those that start later. */
  announce: (sid: string, expiresAt: Date) => Promise<void>;
  now: () => number;
  issuer: string;
  sessionSeconds: number;
};

/** Ends the caller's session. A token of another issuer has no session here: its issuer ends it. */
export const endSession =
  (ports: EndSessionPorts) =>
  async (caller: Caller | undefined): Promise<null> => {
    if (!caller) throw new AppError('TOKEN_MISSING', 'Send the token of the session to end.');
    if (caller.issuer !== ports.issuer) return null;
    const nowMs = ports.now();
    const expiresAt = await ports.sessions.revoke(caller.sid, new Date(nowMs));
    // A session that is not stored (a restored backup) may still be open in some token: it is announced all the same.
    await ports.announce(caller.sid, expiresAt ?? new Date(nowMs + ports.sessionSeconds * 1000));
    return null;
  };
