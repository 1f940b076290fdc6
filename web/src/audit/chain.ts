import type { AuditRow } from '@castellan/contracts';

export type Head = { vault_seq: number; hash: string };
export type Exported = { head: Head; rows: readonly AuditRow[] };
type Fault = 'missing' | 'altered' | 'unlinked' | 'foreign' | 'truncated';
export type Verdict = { ok: true; rows: number; head: Head } | { ok: false; position: number; fault: Fault };

/** The previous hash of the first row. */
const genesisHash = '0'.repeat(64);

/** JSON with sorted keys and no space (RFC 8785): the text that is hashed. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}

async function digestOf(content: object): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonicalJson(content)));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** SHA-256, in hex, of the row without its own hash. */
export function hashOf(row: Omit<AuditRow, 'hash'>): Promise<string> {
  const { hash: _own, ...content } = row as AuditRow;
  return digestOf(content);
}

/** Rows of an earlier version did not cover the fields of the vault's chain; anything but their fillers is an alteration. */
async function hasOwnHash(row: AuditRow): Promise<boolean> {
  if ((await hashOf(row)) === row.hash) return true;
  const { hash, category, vault_seq, vault_prev_hash, ...earlier } = row;
  const isFilledIn = category === 'write' && vault_seq === null && vault_prev_hash === null;
  return isFilledIn && (await digestOf(earlier)) === hash;
}

/** The log of all vaults: only where both neighbours are of this vault can their tie be seen. */
const isTiedInLog = (row: AuditRow, previous: AuditRow | undefined): boolean =>
  previous === undefined || row.seq > previous.seq + 1
    ? true
    : row.seq === previous.seq + 1 && row.prev_hash === previous.hash;

function linkFault(row: AuditRow, position: number, previous: AuditRow | undefined): Fault | undefined {
  if (!isTiedInLog(row, previous)) return 'unlinked';
  if (row.vault_seq === null) return previous !== undefined && previous.vault_seq !== null ? 'unlinked' : undefined;
  if (row.vault_seq !== position) return 'missing';
  return row.vault_prev_hash === (previous?.hash ?? genesisHash) ? undefined : 'unlinked';
}

type VaultKey = { chain_id: number; vault_address: string };

/**
 * Checks all rows of one vault, oldest first, here and without the server's word for it: each against its hash, both ties to
 * the row before, and the end against the head the server named.
 */
export async function verifyChain({ head, rows }: Exported, vault: VaultKey): Promise<Verdict> {
  let previous: AuditRow | undefined;
  for (const [index, row] of rows.entries()) {
    const position = index + 1;
    const isOurs = row.vault_address === vault.vault_address && row.chain_id === vault.chain_id;
    if (!isOurs) return { ok: false, position, fault: 'foreign' };
    const fault = (await hasOwnHash(row)) ? linkFault(row, position, previous) : 'altered';
    if (fault !== undefined) return { ok: false, position, fault };
    previous = row;
  }
  if (head.vault_seq !== rows.length || head.hash !== (previous?.hash ?? genesisHash)) {
    return { ok: false, position: rows.length + 1, fault: 'truncated' };
  }
  return { ok: true, rows: rows.length, head };
}

export const faultWords: Record<Fault, string> = {
  missing: 'a row before it is missing',
  altered: 'it was changed after it was written',
  unlinked: 'it does not follow the row before it',
  foreign: 'it belongs to another vault',
  truncated: 'the end of the log is cut off',
};
