import { type Connection, Schema } from 'mongoose';
import type { AuditContent, StoredAuditRow } from './audit/domain/audit-chain.ts';

/** An audit row and an event that a change owes; kept in the changed document itself until both are stored. */
export type Owed = {
  id: string;
  /** Without a category when an earlier version owes it. */
  audit: Omit<AuditContent, 'id' | 'tx_hash' | 'category'> & Partial<Pick<AuditContent, 'category'>>;
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

/** How far the log of a chain has become audit rows. */
export type StoredCursor = { chain_id: number; after_seq: number };

export type StoredPerson = { wallet: string; id: string };

/** The service's collections and their indexes. */
export function openCollections(connection: Connection) {
  const mixed = Schema.Types.Mixed;
  const open = <T extends object>(
    name: string,
    fields: Record<string, unknown>,
    indexes: [Record<string, 1 | -1>, object?][],
  ) => {
    const schema = new Schema(fields as never, { versionKey: false, minimize: false });
    for (const [keys, options] of indexes) schema.index(keys, options as never);
    connection.model(name, schema, name);
    return connection.collection<T>(name);
  };
  const unique = { unique: true };
  const owed = { partialFilterExpression: { 'owed.id': { $exists: true } } };
  return {
    grants: open<StoredGrant>(
      'view_only_grants',
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
      [[{ chain_id: 1, vault: 1, wallet: 1 }, unique], [{ wallet: 1 }], [{ 'owed.id': 1 }, owed]],
    ),
    names: open<StoredName>(
      'display_names',
      { chain_id: Number, vault: String, wallet: String, display_name: String, version: Number, owed: mixed },
      [
        [{ wallet: 1, chain_id: 1, vault: 1 }, unique],
        [{ 'owed.id': 1 }, owed],
      ],
    ),
    people: open<StoredPerson>('people', { wallet: String, id: String }, [[{ wallet: 1 }, unique]]),
    audit: open<StoredAuditRow>('audit_log', { id: String, seq: Number, hash: String }, [
      [{ seq: 1 }, unique],
      [{ id: 1 }, unique],
      [
        { chain_id: 1, vault_address: 1, vault_seq: 1 },
        { ...unique, partialFilterExpression: { vault_seq: { $gt: 0 } } },
      ],
      [{ chain_id: 1, vault_address: 1, seq: -1 }],
      [{ chain_id: 1, vault_address: 1, timestamp: -1, seq: -1 }],
      [{ chain_id: 1, action_type: 1 }],
      [{ chain_id: 1, 'details.block_number': 1 }],
    ]),
    cursors: open<StoredCursor>('log_cursors', { chain_id: Number, after_seq: Number }, [[{ chain_id: 1 }, unique]]),
  };
}
export type Collections = ReturnType<typeof openCollections>;
