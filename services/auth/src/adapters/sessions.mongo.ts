import type { Connection } from 'mongoose';
import { getAddress } from 'viem/utils';
import type { BoundVault, Session } from '../domain/session.ts';
import { type SessionDocument, sessions as sessionDefinition } from '../models/session.ts';
import type { Distrust } from '../use-cases/full-session.ts';

/** More than this of one wallet are not shown; those that are not revoked come before those that are. */
const maxListed = 500;

const sessionOf = (document: SessionDocument): Session => ({
  sid: document._id,
  kind: document.kind ?? 'session',
  name: document.name ?? null,
  scope: document.scope ?? 'full',
  vault: document.vault ?? null,
  parent: document.parent ?? null,
  wallet: getAddress(document.wallet_address),
  authTime: document.auth_time ?? document.issued_at,
  issuedAt: document.issued_at,
  expiresAt: document.expires_at,
  revokedAt: document.revoked_at ?? null,
});

export function mongoSessions(connection: Connection, distrust: Distrust) {
  const sessions = sessionDefinition.open(connection);
  const readable = (documents: readonly SessionDocument[]): Session[] =>
    documents.flatMap((document) => {
      if (sessionDefinition.shape.safeParse(document).success) return [sessionOf(document)];
      distrust('sessions', document._id);
      return [];
    });
  const find = async (sid: string): Promise<Session | undefined> => {
    const found = await sessions.findOne({ _id: sid });
    return found ? readable([found])[0] : undefined;
  };
  return {
    find,
    async begin({ sid, wallet, authTime, issuedAt, expiresAt, revokedAt, ...chosen }: Session): Promise<void> {
      await sessions.insertOne({
        ...chosen,
        _id: sid,
        wallet_address: wallet.toLowerCase(),
        auth_time: authTime,
        issued_at: issuedAt,
        expires_at: expiresAt,
        revoked_at: revokedAt,
      });
    },
    async discard(sid: string): Promise<void> {
      await sessions.deleteOne({ _id: sid });
    },
    /** Marks the session as ended; again changes nothing. @returns it as it is then, or undefined if unknown. */
    async revoke(sid: string, at: Date): Promise<Session | undefined> {
      await sessions.updateOne({ _id: sid, revoked_at: null }, { $set: { revoked_at: at } });
      return find(sid);
    },
    async keepSignature(sid: string, at: Date): Promise<void> {
      await sessions.updateOne({ _id: sid }, { $max: { auth_time: at } });
    },
    /** Unexpired sessions and tokens of a wallet, newest first. */
    async list(wallet: string, at: Date): Promise<Session[]> {
      const found = await sessions
        .find({ wallet_address: wallet.toLowerCase(), expires_at: { $gt: at } })
        .sort({ revoked_at: 1, issued_at: -1 })
        .limit(maxListed)
        .toArray();
      return readable(found).sort((a, b) => b.issuedAt.getTime() - a.issuedAt.getTime());
    },
    /** Sign-ins that are neither ended nor expired, beside `sid` and the newest `kept`. */
    async listSurplus({ wallet, sid, kept }: { wallet: string; sid: string; kept: number }, at: Date) {
      const found = await sessions
        .find({
          _id: { $ne: sid },
          wallet_address: wallet.toLowerCase(),
          kind: { $ne: 'token' },
          revoked_at: null,
          expires_at: { $gt: at },
        })
        .sort({ issued_at: -1, _id: 1 })
        .skip(kept)
        .toArray();
      return readable(found);
    },
    /** Tokens bound to the vault that are neither ended nor expired. */
    async listLiveTokensOf({ chain_id, vault_address }: BoundVault, at: Date): Promise<Session[]> {
      const bound = { 'vault.chain_id': chain_id, 'vault.vault_address': vault_address };
      const found = await sessions
        .find({ ...bound, kind: 'token', revoked_at: null, expires_at: { $gt: at } })
        .toArray();
      return readable(found);
    },
    countLiveTokens: (wallet: string, at: Date): Promise<number> =>
      sessions.countDocuments({
        wallet_address: wallet.toLowerCase(),
        kind: 'token',
        revoked_at: null,
        expires_at: { $gt: at },
      }),
  };
}
