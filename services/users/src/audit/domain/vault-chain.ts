import type { AuditRow } from '@castellan/contracts';
import { genesisHash, hasOwnHash, type Link } from './audit-chain.ts';

/** The last row of a vault's chain: how many rows there are, and its hash. */
export type Head = { vault_seq: number; hash: string };

/** What is wrong with a vault's chain; `foreign`: a row of another vault, `truncated`: it ends before its head. */
export type VaultFault = 'missing' | 'altered' | 'unlinked' | 'foreign' | 'truncated';
/** `position` counts the vault's rows from 1. */
export type VaultVerdict = { ok: true; rows: number } | { ok: false; position: number; fault: VaultFault };

/** A vault and the head of its chain. */
export type VaultChain = { vault_address: string; chain_id: number; head: Head };

/** Whether the row belongs to the vault, as its hash says. */
export const isOfVault = (row: AuditRow, vault: Pick<VaultChain, 'vault_address' | 'chain_id'>): boolean =>
  row.vault_address === vault.vault_address && row.chain_id === vault.chain_id;

/** What is wrong with a row of an earlier version. Those have the global chain only, which other vaults' rows run through. */
function faultOfEarlier(row: AuditRow, previous: AuditRow | undefined): VaultFault | undefined {
  if (previous === undefined) return undefined;
  // A row with its place in the vault's chain is followed by such rows only.
  if (previous.vault_seq !== null || row.seq <= previous.seq) return 'unlinked';
  return row.seq === previous.seq + 1 && row.prev_hash !== previous.hash ? 'unlinked' : undefined;
}

function faultOf(row: AuditRow, position: number, previous: AuditRow | undefined): VaultFault | undefined {
  if (!hasOwnHash(row)) return 'altered';
  if (row.vault_seq === null) return faultOfEarlier(row, previous);
  if (row.vault_seq !== position) return 'missing';
  return row.vault_prev_hash === (previous?.hash ?? genesisHash) ? undefined : 'unlinked';
}

/**
 * Checks all rows of one vault, oldest first, by themselves. Rows of earlier versions come first and have no place in the vault's
 * chain; the first row that has one says how many they are and carries the hash of the last of them.
 * @returns where it breaks: a row missing, altered, not tied to the one before, of another vault, or the end cut off.
 */
export function verifyVaultChain(rows: readonly AuditRow[], vault: VaultChain): VaultVerdict {
  let previous: AuditRow | undefined;
  for (const [index, row] of rows.entries()) {
    const position = index + 1;
    const fault = isOfVault(row, vault) ? faultOf(row, position, previous) : 'foreign';
    if (fault) return { ok: false, position, fault };
    previous = row;
  }
  const { head } = vault;
  if (head.vault_seq !== rows.length || head.hash !== (previous?.hash ?? genesisHash))
    return { ok: false, position: rows.length + 1, fault: 'truncated' };
  return { ok: true, rows: rows.length };
}

/** Where the next row of a vault goes: behind its last one, or behind those of earlier versions, which count as its first. */
export function linkOfVault(
  last: Pick<AuditRow, 'vault_seq' | 'hash'> | undefined,
  earlier: { count: number; lastHash: string | undefined },
): Link | undefined {
  if (last && last.vault_seq !== null) return { seq: last.vault_seq, hash: last.hash };
  return earlier.lastHash === undefined ? undefined : { seq: earlier.count, hash: earlier.lastHash };
}
