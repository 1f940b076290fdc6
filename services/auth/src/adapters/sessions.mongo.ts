import type { Connection } from 'mongoose';
import { sessionModel } from '../models/session.ts';

export type Session = { sid: string; wallet: string; issuedAt: Date; expiresAt: Date };

export function mongoSessions(connection: Connection) {
  const sessions = sessionModel(connection);
  return {
    async begin({ sid, wallet, issuedAt, expiresAt }: Session): Promise<void> {
      await sessions.create({
        _id: sid,
        wallet_address: wallet.toLowerCase(),
        issued_at: issuedAt,
        expires_at: expiresAt,
        revoked_at: null,
      });
    },
    /** Marks the session as ended; again changes nothing. @returns when it would have expired, or undefined if unknown. */
    async revoke(sid: string, at: Date): Promise<Date | undefined> {
      await sessions.updateOne({ _id: sid, revoked_at: null }, { $set: { revoked_at: at } });
      const found = await sessions.findById(sid).lean();
      return found?.expires_at;
    },
  };
}
