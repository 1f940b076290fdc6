import { createHash } from 'node:crypto';
import type { AuditRow } from '@castellan/contracts';

/** `prev_hash` and `vault_prev_hash` of a first row. */
export const genesisHash = '0'.repeat(64);

/** Fields that rows written before the second chain lack. */
type Later = 'category' | 'vault_seq' | 'vault_prev_hash';

/** A row as it lies in the store: what an earlier version wrote lacks the later fields. */
export type StoredAuditRow = Omit<AuditRow, Later> & Partial<Pick<AuditRow, Later>>;

/** What a row says before it has its place in the chains. */
export type AuditContent = Omit<AuditRow, 'seq' | 'prev_hash' | 'vault_seq' | 'vault_prev_hash' | 'hash'>;

/** A row that another one is put behind: its number in that chain, and its hash. */
export type Link = { seq: number; hash: string };

/** JSON with sorted keys and no space: one text for one value (RFC 8785 for the values that occur here). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}

const digestOf = (content: object): string => createHash('sha256').update(canonicalJson(content)).digest('hex');

/** SHA-256, in hex, of the row without its own hash. */
export function hashOf(row: Omit<StoredAuditRow, 'hash'>): string {
  const { hash: _own, ...content } = row as StoredAuditRow;
  return digestOf(content);
}

/**
 * Whether the row is what its hash was made of. A row of an earlier version is read with `write` and nulls filled in, which its
 * hash does not cover; any other value there is an alteration.
 */
export function hasOwnHash(row: StoredAuditRow): boolean {
  if (hashOf(row) === row.hash) return true;
  const { category, vault_seq, vault_prev_hash, ...earlier } = row;
  const isFilledIn = (category ?? 'write') === 'write' && vault_seq == null && vault_prev_hash == null;
  return isFilledIn && hashOf(earlier) === row.hash;
}

/**
 * The row that follows `last` in the log and, when it is about a vault, `lastOfVault` among the vault's rows (undefined: none).
 */
export function nextRow(content: AuditContent, last: Link | undefined, lastOfVault: Link | undefined): AuditRow {
  const isOfVault = content.vault_address !== null && content.chain_id !== null;
  const row = {
    ...content,
    seq: (last?.seq ?? 0) + 1,
    prev_hash: last?.hash ?? genesisHash,
    vault_seq: isOfVault ? (lastOfVault?.seq ?? 0) + 1 : null,
    vault_prev_hash: isOfVault ? (lastOfVault?.hash ?? genesisHash) : null,
  };
  return { ...row, hash: hashOf(row) };
}

/** A stored row as every reader gets it. */
export const completeRow = (row: StoredAuditRow): AuditRow => ({
  ...row,
  category: row.category ?? 'write',
  vault_seq: row.vault_seq ?? null,
  vault_prev_hash: row.vault_prev_hash ?? null,
});

/** Whether a log is whole, or the first row that is not. */
export type AuditVerdict =
  | { ok: true; rows: number }
  | { ok: false; seq: number; fault: 'missing' | 'altered' | 'unlinked' };

/** Checks a whole log, oldest first. @returns where it breaks: a row missing, altered, or not tied to the one before. */
export function verifyAuditChain(rows: readonly StoredAuditRow[]): AuditVerdict {
  let previous: StoredAuditRow | undefined;
  for (const row of rows) {
    const expected = (previous?.seq ?? 0) + 1;
    if (row.seq !== expected) return { ok: false, seq: expected, fault: 'missing' };
    if (!hasOwnHash(row)) return { ok: false, seq: row.seq, fault: 'altered' };
    if (row.prev_hash !== (previous?.hash ?? genesisHash)) return { ok: false, seq: row.seq, fault: 'unlinked' };
    previous = row;
  }
  return { ok: true, rows: rows.length };
}
