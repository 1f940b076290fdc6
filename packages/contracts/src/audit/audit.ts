import { z } from 'zod';
import { action } from '../action.ts';
import { durableEvent, stream } from '../event.ts';
import { Address, ChainId, Eip55, Hash, IsoTime, listOf, NamedWallet } from '../primitives.ts';

/**
 * What a row is about, for filters and the timeline: `write` (made through the API), `call` (a prepared call and what became of
 * it), `role`, `setting`, `price` (pauses, guards, staleness), `fee`, `upkeep`, `source` (yield sources, hooks), `node` (validators), `alert`.
 */
export const auditCategories = [
  'write',
  'call',
  'role',
  'setting',
  'price',
  'fee',
  'upkeep',
  'source',
  'node',
  'account',
  'alert',
] as const;
/** One of `auditCategories`. */
export const AuditCategory = z.enum(auditCategories);
export type AuditCategory = z.infer<typeof AuditCategory>;

/**
 * One row of the audit log. `hash` is the SHA-256 of the row's canonical JSON (RFC 8785) without `hash`. Two chains: `seq`, `prev_hash` over all rows; `vault_seq`, `vault_prev_hash` over those of a vault.
 */
export const AuditRow = z.object({
  id: z.string(),
  seq: z.int().positive(),
  timestamp: IsoTime,
  category: AuditCategory,
  action_type: z.string(),
  vault_address: Eip55.nullable(),
  chain_id: ChainId.nullable(),
  actor_wallet: Eip55.nullable(),
  details: z.record(z.string(), z.unknown()),
  tx_hash: Hash.nullable(),
  request_id: z.string().nullable(),
  vault_seq: z.int().positive().nullable(),
  vault_prev_hash: z.string().nullable(),
  prev_hash: z.string(),
  hash: z.string(),
});
export type AuditRow = z.infer<typeof AuditRow>;

/** What other services add to the audit log; the same `id` again is no second row. */
export const AuditStream = stream('AUDIT', 'audit', { maxAgeSeconds: 31 * 86_400, diskPercent: 5 });
/** A row for the audit log. `id` makes it idempotent. */
export const AuditRecorded = durableEvent(
  AuditStream,
  'audit_recorded',
  AuditRow.pick({
    id: true,
    timestamp: true,
    category: true,
    action_type: true,
    vault_address: true,
    chain_id: true,
    actor_wallet: true,
    details: true,
    tx_hash: true,
    request_id: true,
  }),
);

const filters = {
  vault_address: Address,
  chain_id: ChainId,
  action_type: z.string().max(64).optional(),
  category: AuditCategory.optional(),
  actor: Address.optional(),
  from_timestamp: IsoTime.optional(),
  to_timestamp: IsoTime.optional(),
};

/** Rows of one vault, newest first; any manager of it. */
export const ListAudit = action('v1.users.audit', {
  callers: { user: 'read' },
  params: z.strictObject({
    ...filters,
    limit: z.int().min(1).max(500).default(100),
    offset: z.int().nonnegative().optional(),
    cursor: z.string().max(500).optional(),
  }),
  result: listOf('logs', AuditRow).extend({ action_types: z.array(z.string()) }),
});

/** One row; any manager of its vault, or the wallet it is about where it names no vault. */
export const GetAudit = action('v1.users.auditRow', {
  callers: { user: 'read' },
  params: z.strictObject({ id: z.string().max(200) }),
  result: AuditRow,
});

/** Pages of an export in the order of the chain, oldest first. `head` is the vault's last row when the export began. */
export const ExportAudit = action('v1.users.auditExport', {
  callers: { user: 'read' },
  params: z.strictObject({
    ...filters,
    after: z.string().max(200).optional(),
    limit: z.int().min(1).max(1000).default(500),
  }),
  result: z.object({
    head: z.object({ vault_seq: z.int().nonnegative(), hash: z.string() }),
    rows: z.array(AuditRow),
    next: z.string().nullable(),
  }),
});

/** One thing that happened to a vault, in words. Any role on it. */
export const TimelineItem = z.object({
  id: z.string(),
  t: IsoTime,
  category: AuditCategory,
  action_type: z.string(),
  title: z.string(),
  actor: NamedWallet.nullable(),
  tx_hash: Hash.nullable(),
  details: z.record(z.string(), z.unknown()),
});
/** The vault's history in sentences, newest first. @throws AppError CURSOR_INVALID. */
export const ListTimeline = action('v1.users.timeline', {
  callers: { user: 'read', relayedBy: ['ai'] },
  params: z.strictObject({
    vault_address: Address,
    chain_id: ChainId,
    category: AuditCategory.optional(),
    limit: z.int().min(1).max(500).default(100),
    cursor: z.string().max(500).optional(),
  }),
  result: listOf('items', TimelineItem),
});
