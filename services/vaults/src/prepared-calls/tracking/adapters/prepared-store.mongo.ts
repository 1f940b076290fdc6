import { type AuditRecorded, type EventData, type PreparedState, VaultUpdated } from '@castellan/contracts';
import {
  foundAndTotal,
  type PendingEvent,
  pageOf,
  pendingEvent,
  pendingRow,
  placeIn,
  type RecordWith,
  recorder,
} from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { isOwn, type PreparedDocument } from '../domain/prepared-call.ts';
import { depositorCollection, preparedCollection } from '../models/prepared-call.ts';

export type AuditEvent = EventData<typeof AuditRecorded>;

/** What changes with one step of a prepared call; a new entry of its history and an audit row only with a new state. */
export type PreparedMove = Partial<
  Pick<PreparedDocument, 'status' | 'settled' | 'tx' | 'revert_reason' | 'post' | 'expires_at'>
> & { entry?: PreparedDocument['history'][number]; row?: AuditEvent };

export type PreparedPage = { items: PreparedDocument[]; total: number; has_more: boolean; next_cursor: string | null };

export type PreparedStore = {
  insert(documents: readonly PreparedDocument[], rows: readonly AuditEvent[]): Promise<void>;
  get(id: string): Promise<PreparedDocument | null>;
  /**
   * How many calls a wallet has prepared for its own position that may still be sent, over all vaults. A transaction that no node
   * knows is only a number that somebody named: its call counts too, and once it was given up until its time is over.
   */
  unsentOf(of: { wallet: string; chainId: number }, now: Date): Promise<number>;
  /** Removes calls of depositors that were kept and never answered. */
  takeBack(ids: readonly string[]): Promise<void>;
  /** Of the managers of one vault, newest first. @returns undefined for a cursor this list did not return. */
  page(
    of: { chainId: number; vault: string; status?: PreparedState | undefined },
    limit: number,
    cursor?: string,
  ): Promise<PreparedPage | undefined>;
  /** Calls of managers that something may have become of, all of them: in a transaction, or out of time. Read as they are asked for. */
  due(chainId: number, now: Date): AsyncIterable<PreparedDocument>;
  /** Some of the others that something may have become of, by their ids and after one of them. */
  dueOfDepositors(chainId: number, now: Date, from: { after: string; limit: number }): Promise<PreparedDocument[]>;
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

const dueAt = (chainId: number, now: Date) => ({
  chain_id: chainId,
  settled: false,
  $or: [{ status: { $ne: 'prepared' as const } }, { status: 'prepared' as const, expires_at: { $lte: now } }],
});

export function mongoPrepared(connection: Connection, recordWith: RecordWith = recorder(connection)): PreparedStore {
  const [calls, depositors] = [preparedCollection(connection), depositorCollection(connection)];
  return {
    async insert(documents, rows) {
      if (documents.every(isOwn)) await depositors.insertMany([...documents]);
      else await recordWith(rows.map(pendingRow), (session) => calls.insertMany([...documents], { session }));
    },
    get: async (id) => (await calls.findOne({ _id: id })) ?? depositors.findOne({ _id: id }),
    // By chain: the same address may be somebody else's contract on another one.
    unsentOf: ({ wallet, chainId }, now) =>
      depositors.countDocuments({
        prepared_by: wallet,
        chain_id: chainId,
        $or: [
          { status: { $in: ['prepared', 'replaced'] }, expires_at: { $gt: now } },
          { status: 'broadcast', 'tx.nonce': null },
        ],
      }),
    takeBack: async (ids) => {
      await depositors.deleteMany({ _id: { $in: [...ids] } });
    },
    async page({ chainId, vault, status }, limit, cursor) {
      const place = cursor === undefined ? undefined : placeIn(cursor, placeForm)?.[0];
      if (cursor !== undefined && place === undefined) return undefined;
      const all = { chain_id: chainId, vault: vault.toLowerCase(), ...(status ? { status } : {}) };
      const [found, total] = await foundAndTotal(
        { limit, cursor },
        () =>
          calls
            .find(place === undefined ? all : { ...all, place: { $lt: place } })
            .sort({ place: -1 })
            .limit(limit + 1)
            .toArray(),
        () => calls.countDocuments(all),
      );
      return { total, ...pageOf(found, limit, ({ place }) => place) };
    },
    due: (chainId, now) => calls.find(dueAt(chainId, now)).sort({ expires_at: 1 }),
    dueOfDepositors: (chainId, now, { after, limit }) =>
      depositors
        .find({ ...dueAt(chainId, now), _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    move(document, { entry, row, ...fields }) {
      const { _id, version } = document;
      const change = {
        $set: { ...fields, version: version + 1 },
        ...(entry && { $push: { history: entry } }),
      } as never;
      const after = { returnDocument: 'after' } as const;
      const own = isOwn(document);
      const of = own ? depositors : calls;
      // Of a call that was never sent nobody waits to hear that its time is over.
      const isHeard = row !== undefined && !(own && fields.tx === undefined && document.tx === null);
      if (!isHeard) return of.findOneAndUpdate({ _id, version }, change, after);
      return recordWith(
        (moved) => [...(own ? [] : [pendingRow(row)]), updateOf(moved)],
        (session) => of.findOneAndUpdate({ _id, version }, change, { session, ...after }),
      );
    },
    async carriedBy(chainId, txHash) {
      const carried = { chain_id: chainId, 'tx.hash': txHash };
      const found = await Promise.all(
        [calls, depositors].map((each) => each.find(carried).project<{ _id: string }>({ _id: 1 }).toArray()),
      );
      return found.flat().map(({ _id }) => _id);
    },
    async pauseReason(chainId, txHash) {
      const found = await calls.findOne({ chain_id: chainId, 'tx.hash': txHash, 'request.kind': 'pause' });
      return found?.reason ?? null;
    },
  };
}
