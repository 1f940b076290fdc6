import type { Connection } from 'mongoose';
import { openCollection, unique } from '../../store/open-collection.ts';
import type { StoredAuditRow } from '../domain/audit-chain.ts';

/** How far the log of a chain has become audit rows. */
export type StoredCursor = { chain_id: number; after_seq: number };

/** The audit log, and how far each chain is in it, with their indexes. */
export const openAuditCollections = (connection: Connection) => ({
  audit: openCollection<StoredAuditRow>(
    connection,
    'audit_log',
    [
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
    ],
    { id: String, seq: Number, hash: String },
  ),
  cursors: openCollection<StoredCursor>(connection, 'log_cursors', [[{ chain_id: 1 }, unique]], {
    chain_id: Number,
    after_seq: Number,
  }),
});
export type AuditCollections = ReturnType<typeof openAuditCollections>;
