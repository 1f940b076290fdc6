import type { AuditRecorded, EventData } from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';
import { openCollection, unique } from '../../store/open-collection.ts';

/** A row for the audit log, as any service hands one in. */
export type AuditEntry = EventData<typeof AuditRecorded>;

/** An audit row and an event that a change owes; kept in the changed document itself until both are stored. */
export type Owed = {
  id: string;
  /** Without a category when an earlier version owes it. */
  audit: Omit<AuditEntry, 'id' | 'tx_hash' | 'category'> & Partial<Pick<AuditEntry, 'category'>>;
  event: { name: 'view_only_changed' | 'display_name_changed'; data: Record<string, unknown> };
};

/** View-only access of a wallet to a vault; addresses lower case. A revoked grant stays, with its version. */
export type StoredGrant = {
  chain_id: number;
  vault: string;
  wallet: string;
  granted: boolean;
  granted_by: string;
  granted_at: Date;
  version: number;
  owed?: Owed;
};

/** A name: a label on one vault, or (vault and chain null) the wallet's own. */
export type StoredName = {
  chain_id: number | null;
  vault: string | null;
  wallet: string;
  display_name: string;
  version: number;
  owed?: Owed;
};

export type StoredPerson = { wallet: string; id: string };

const mixed = Schema.Types.Mixed;
const isOwed = { partialFilterExpression: { 'owed.id': { $exists: true } } };

/** Grants, names and the ids of people, with their indexes. */
export const openAccessCollections = (connection: Connection) => ({
  grants: openCollection<StoredGrant>(
    connection,
    'view_only_grants',
    [[{ chain_id: 1, vault: 1, wallet: 1 }, unique], [{ wallet: 1 }], [{ 'owed.id': 1 }, isOwed]],
    {
      chain_id: Number,
      vault: String,
      wallet: String,
      granted: Boolean,
      granted_by: String,
      granted_at: Date,
      version: Number,
      owed: mixed,
    },
  ),
  names: openCollection<StoredName>(
    connection,
    'display_names',
    [
      [{ wallet: 1, chain_id: 1, vault: 1 }, unique],
      [{ 'owed.id': 1 }, isOwed],
    ],
    { chain_id: Number, vault: String, wallet: String, display_name: String, version: Number, owed: mixed },
  ),
  people: openCollection<StoredPerson>(connection, 'people', [[{ wallet: 1 }, unique]], { wallet: String, id: String }),
});
export type AccessCollections = ReturnType<typeof openAccessCollections>;
