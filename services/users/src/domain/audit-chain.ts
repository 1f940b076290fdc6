import { createHash } from 'node:crypto';

/** One row of the audit log. `hash` covers every other field, and `prev_hash` ties it to the row before. */
export type AuditRow = {
  id: string;
  seq: number;
  timestamp: string;
  action_type: string;
  vault_address: string | null;
  chain_id: number | null;
  actor_wallet: string;
  details: Record<string, unknown>;
  tx_hash: string | null;
  request_id: string | null;
  prev_hash: string;
  hash: string;
};

/** `prev_hash` of the first row. */
export const genesisHash = '0'.repeat(64);

/** JSON with sorted keys and no space: one text for one value (RFC 8785 for the values that occur here). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}

/** SHA-256, in hex, of the row without its own hash. */
export function hashOf(row: Omit<AuditRow, 'hash'>): string {
  const { hash: _own, ...content } = row as AuditRow;
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}

/** The row that follows `previous` (undefined at the beginning). */
export function nextRow(
  previous: Pick<AuditRow, 'seq' | 'hash'> | undefined,
  content: Omit<AuditRow, 'seq' | 'prev_hash' | 'hash'>,
): AuditRow {
  const row = { ...content, seq: (previous?.seq ?? 0) + 1, prev_hash: previous?.hash ?? genesisHash };
  return { ...row, hash: hashOf(row) };
}

export type AuditVerdict =
  | { ok: true; rows: number }
  | { ok: false; seq: number; fault: 'missing' | 'altered' | 'unlinked' };

/** Checks a whole log, oldest first. @returns where it breaks: a row missing, altered, or not tied to the one before. */
export function verifyAuditChain(rows: readonly AuditRow[]): AuditVerdict {
  let previous: AuditRow | undefined;
  for (const row of rows) {
    const expected = (previous?.seq ?? 0) + 1;
    if (row.seq !== expected) return { ok: false, seq: expected, fault: 'missing' };
    if (row.hash !== hashOf(row)) return { ok: false, seq: row.seq, fault: 'altered' };
    if (row.prev_hash !== (previous?.hash ?? genesisHash)) return { ok: false, seq: row.seq, fault: 'unlinked' };
    previous = row;
  }
  return { ok: true, rows: rows.length };
}
