import { longestTokenSeconds, SessionRevoked } from '@castellan/contracts';
import {
  type ClientSession,
  currentRequestId,
  type PendingEvent,
  pendingEvent,
  pendingRow,
  type RecordWith,
} from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { getAddress } from 'viem/utils';
import { type AuditEntry, type EndReason, sessionRevoked } from '../domain/audit-entry.ts';
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
  chainId: document.chain_id ?? null,
  authTime: document.auth_time ?? document.issued_at,
  issuedAt: document.issued_at,
  expiresAt: document.expires_at,
  revokedAt: document.revoked_at ?? null,
});

const documentOf = ({
  sid,
  wallet,
  chainId,
  authTime,
  issuedAt,
  expiresAt,
  revokedAt,
  ...chosen
}: Session): SessionDocument => ({
  ...chosen,
  _id: sid,
  wallet_address: wallet.toLowerCase(),
  chain_id: chainId,
  auth_time: authTime,
  issued_at: issuedAt,
  expires_at: expiresAt,
  revoked_at: revokedAt,
});

/** Who proved a wallet on one chain uses up nothing of those who did on another one. */
type OfWallet = Pick<Session, 'wallet' | 'chainId'>;

const rowOf = (entry: AuditEntry): PendingEvent => pendingRow({ ...entry, request_id: currentRequestId() ?? null });

/** What every gateway and the audit log get of an end; the same message twice is one. */
function endEvents(sid: string, at: Date, ended: Session | undefined, reason?: EndReason): PendingEvent[] {
  // A session that is not stored (a restored backup) may still be open in some token: it is announced all the same.
  const expiresAt = ended?.expiresAt ?? new Date(at.getTime() + longestTokenSeconds * 1000);
  const event = { sid, expires_at: expiresAt.toISOString() };
  const announced = pendingEvent(SessionRevoked, event, { msgId: `session-revoked:${sid}` });
  return ended ? [announced, rowOf(sessionRevoked(ended, ended.revokedAt ?? at, reason))] : [announced];
}

/** @param recordWith - Stores a change together with its events. */
export function mongoSessions(connection: Connection, recordWith: RecordWith, distrust: Distrust) {
  const sessions = sessionDefinition.open(connection);
  const readable = (documents: readonly SessionDocument[]): Session[] =>
    documents.flatMap((document) => {
      if (sessionDefinition.shape.safeParse(document).success) return [sessionOf(document)];
      distrust('sessions', document._id);
      return [];
    });
  const find = async (sid: string, within: { session?: ClientSession } = {}): Promise<Session | undefined> => {
    const found = await sessions.findOne({ _id: sid }, within);
    return found ? readable([found])[0] : undefined;
  };
  return {
    find: (sid: string) => find(sid),
    /** @param row - Of the audit log; without one the session is stored alone. */
    async begin(session: Session, row?: AuditEntry): Promise<void> {
      await recordWith(row ? [rowOf(row)] : [], (within) =>
        sessions.insertOne(documentOf(session), { session: within }),
      );
    },
    async discard(sid: string): Promise<void> {
      await sessions.deleteOne({ _id: sid });
    },
    /** Marks the session as ended; publishes it again each time. */
    async end(sid: string, at: Date, reason?: EndReason): Promise<void> {
      await recordWith<{ ended: Session | undefined }>(
        ({ ended }) => endEvents(sid, at, ended, reason),
        async (session) => {
          await sessions.updateOne({ _id: sid, revoked_at: null }, { $set: { revoked_at: at } }, { session });
          return { ended: await find(sid, { session }) };
        },
      );
    },
    async keepSignature(sid: string, at: Date, row: AuditEntry): Promise<void> {
      await recordWith([rowOf(row)], (session) =>
        sessions.updateOne({ _id: sid }, { $max: { auth_time: at } }, { session }),
      );
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
    /** Sign-ins on the same chain that are neither ended nor expired, beside `sid` and the newest `kept`. */
    async listSurplus({ wallet, chainId, sid, kept }: OfWallet & { sid: string; kept: number }, at: Date) {
      const found = await sessions
        .find({
          _id: { $ne: sid },
          wallet_address: wallet.toLowerCase(),
          chain_id: chainId,
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
    /** Tokens of the wallet that have not expired: those that are not revoked, and all. */
    async countTokens({ wallet, chainId }: OfWallet, at: Date): Promise<{ live: number; all: number }> {
      const unexpired = {
        wallet_address: wallet.toLowerCase(),
        chain_id: chainId,
        kind: 'token' as const,
        expires_at: { $gt: at },
      };
      const [live, all] = await Promise.all([
        sessions.countDocuments({ ...unexpired, revoked_at: null }),
        sessions.countDocuments(unexpired),
      ]);
      return { live, all };
    },
  };
}
