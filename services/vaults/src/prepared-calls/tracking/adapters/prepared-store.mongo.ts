import { type AuditRecorded, type EventData, type PreparedState, VaultUpdated } from '@castellan/contracts';
import {
  type PendingEvent,
  pageOf,
  pendingEvent,
  pendingRow,
  placeIn,
  type RecordWith,
  recorder,
} from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { PreparedDocument } from '../domain/prepared-call.ts';
import { preparedCollection } from '../models/prepared-call.ts';

export type AuditEvent = EventData<typeof AuditRecorded>;

/** What changes with one step of a prepared call; a new entry of its history and an audit row only with a new state. */
export type PreparedMove = Partial<
  Pick<PreparedDocument, 'status' | 'settled' | 'tx' | 'revert_reason' | 'post' | 'expires_at'>
> & { entry?: PreparedDocument['history'][number]; row?: AuditEvent };

export type PreparedPage = { items: PreparedDocument[]; total: number; has_more: boolean; next_cursor: string | null };

export type PreparedStore = {
  insert(documents: readonly PreparedDocument[], rows: readonly AuditEvent[]): Promise<void>;
  get(id: string): Promise<PreparedDocument | null>;
  /** Of one vault, newest first. @returns undefined for a cursor this list did not return. */
  page(
    of: { chainId: number; vault: string; status?: PreparedState | undefined },
    limit: number,
    cursor?: string,
  ): Promise<PreparedPage | undefined>;
  /** Calls something may have become of, all of them: in a transaction, or out of time. Read as they are asked for. */
  due(chainId: number, now: Date): AsyncIterable<PreparedDocument>;
  /** One step; open dashboards of the vault hear of a new state. @returns null when the document was changed since it was read: another writer was first. */
  move(document: PreparedDocument, move: PreparedMove): Promise<PreparedDocument | null>;
  /** Calls of a chain that a transaction was reported for. */
  carriedBy(chainId: number, txHash: string): Promise<string[]>;
  /** The reason given for the pause that a transaction made; null when none was given. */
  pauseReason(chainId: number, txHash: string): Promise<string | null>;
};

/** That a call is in another state: what its dialog reads again. Anybody may hear it, so it says nothing of the call. */
const updateOf = ({ _id, version, chain_id, target, tx, block_number }: PreparedDocument): PendingEvent =>
  pendingEvent(
    VaultUpdated,
    { chain_id, vault_address: target.vault, kind: 'call', block_number: tx?.block_number ?? block_number },
    { msgId: `call:${_id}:${version}` },
  );

/** The place of a call in its list. */
const placeForm = /^\d{4}-\d\d-\d\dT[\d:.]+Z [\w-]+ \d+$/;

export function mongoPrepared(connection: Connection, recordWith: RecordWith = recorder(connection)): PreparedStore {
  const calls = preparedCollection(connection);
  return {
    async insert(documents, rows) {
      await recordWith(rows.map(pendingRow), (session) => calls.insertMany([...documents], { session }));
    },
    get: (id) => calls.findOne({ _id: id }),
    async page({ chainId, vault, status }, limit, cursor) {
      const place = cursor === undefined ? undefined : placeIn(cursor, placeForm)?.[0];
      if (cursor !== undefined && place === undefined) return undefined;
      const all = { chain_id: chainId, vault: vault.toLowerCase(), ...(status ? { status } : {}) };
      const [found, total] = await Promise.all([
        calls
          .find(place === undefined ? all : { ...all, place: { $lt: place } })
          .sort({ place: -1 })
          .limit(limit + 1)
          .toArray(),
        calls.countDocuments(all),
      ]);
      return { total, ...pageOf(found, limit, ({ place }) => place) };
    },
    due: (chainId, now) =>
      calls
        .find({
          chain_id: chainId,
          settled: false,
          $or: [{ status: { $ne: 'prepared' } }, { status: 'prepared', expires_at: { $lte: now } }],
        })
        .sort({ expires_at: 1 }),
    move({ _id, version }, { entry, row, ...fields }) {
      const change = {
        $set: { ...fields, version: version + 1 },
        ...(entry && { $push: { history: entry } }),
      } as never;
      if (!row) return calls.findOneAndUpdate({ _id, version }, change, { returnDocument: 'after' });
      return recordWith(
        (moved) => [pendingRow(row), updateOf(moved)],
        (session) => calls.findOneAndUpdate({ _id, version }, change, { session, returnDocument: 'after' }),
      );
    },
    async carriedBy(chainId, txHash) {
      const found = await calls
        .find({ chain_id: chainId, 'tx.hash': txHash })
        .project<{ _id: string }>({ _id: 1 })
        .toArray();
      return found.map(({ _id }) => _id);
    },
    async pauseReason(chainId, txHash) {
      const found = await calls.findOne({ chain_id: chainId, 'tx.hash': txHash, 'request.kind': 'pause' });
      return found?.reason ?? null;
    },
  };
}
