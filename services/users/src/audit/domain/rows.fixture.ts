import type { AuditRow } from '@castellan/contracts';
import { type AuditContent, genesisHash, hashOf, nextRow, type StoredAuditRow } from './audit-chain.ts';
import { linkOfVault } from './vault-chain.ts';

/** A vault of the tests. */
export const vaultA = { vault_address: '0x00000000000000000000000000000000000000A1', chain_id: 31337 };
/** Another vault of the tests. */
export const vaultB = { vault_address: '0x00000000000000000000000000000000000000b2', chain_id: 31337 };

/** The n-th row, without its links. */
export const contentOf = (
  n: number,
  vault: { vault_address: string | null; chain_id: number | null },
): AuditContent => ({
  id: `row-${n}`,
  timestamp: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  category: 'role',
  action_type: 'view_only_granted',
  ...vault,
  actor_wallet: '0x00000000000000000000000000000000000000C3',
  details: { n, nested: { b: 1, a: [n] } },
  tx_hash: `0x${'ab'.repeat(32)}`,
  request_id: `request-${n}`,
});

/** A row as earlier versions wrote it. */
export function earlierRow(n: number, last: StoredAuditRow | undefined, vault: typeof vaultA): StoredAuditRow {
  const { category: _later, ...content } = contentOf(n, vault);
  const row = { ...content, seq: (last?.seq ?? 0) + 1, prev_hash: last?.hash ?? genesisHash };
  return { ...row, hash: hashOf(row) };
}

/** A log whose rows are of the vaults in turn; null for a row of none. The first `earlier` rows are of an earlier version. */
export function logOf(vaults: readonly (typeof vaultA | null)[], earlier = 0): StoredAuditRow[] {
  const rows: StoredAuditRow[] = [];
  for (const [n, vault] of vaults.entries()) {
    if (n < earlier) {
      rows.push(earlierRow(n, rows.at(-1), vault ?? vaultA));
      continue;
    }
    const own = rows.filter(({ vault_address }) => vault_address === vault?.vault_address);
    const last = own.at(-1);
    const link = linkOfVault(last?.vault_seq == null ? undefined : (last as AuditRow), {
      count: own.length,
      lastHash: last?.hash,
    });
    rows.push(nextRow(contentOf(n, vault ?? { vault_address: null, chain_id: null }), rows.at(-1), link));
  }
  return rows;
}
