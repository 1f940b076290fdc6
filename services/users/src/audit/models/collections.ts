import { AuditRow } from '@castellan/contracts';
import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

const { category, vault_seq, vault_prev_hash } = AuditRow.shape;

/** Rows that earlier versions wrote lack the fields of the vault's own chain. */
export const auditRows = defineCollection({
  name: 'audit_log',
  kept: 'truth',
  about: 'The audit log, a chain of hashes. Rows are added, never changed.',
  shape: AuditRow.extend({
    category: z.exactOptional(category),
    vault_seq: z.exactOptional(vault_seq),
    vault_prev_hash: z.exactOptional(vault_prev_hash),
  }),
  indexes: [
    { keys: { seq: 1 }, unique: true },
    { keys: { id: 1 }, unique: true },
    { keys: { chain_id: 1, vault_address: 1, vault_seq: 1 }, unique: true, only: { vault_seq: { $gt: 0 } } },
    { keys: { chain_id: 1, vault_address: 1, seq: -1 } },
    { keys: { chain_id: 1, vault_address: 1, timestamp: -1, seq: -1 } },
    { keys: { chain_id: 1, action_type: 1 } },
    { keys: { chain_id: 1, 'details.block_number': 1 } },
  ],
});

export const logCursors = defineCollection({
  name: 'log_cursors',
  kept: 'truth',
  about: 'How far the log of a chain has become audit rows.',
  shape: z.object({ chain_id: z.number(), after_seq: z.number() }),
  indexes: [{ keys: { chain_id: 1 }, unique: true }],
});

/** The audit log, and how far each chain is in it. */
export const openAuditCollections = (connection: Connection) => ({
  audit: auditRows.open(connection),
  cursors: logCursors.open(connection),
});
export type AuditCollections = ReturnType<typeof openAuditCollections>;
