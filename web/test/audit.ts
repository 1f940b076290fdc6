/// <reference types="node" />
import { webcrypto } from 'node:crypto';
import { AuditRow } from '@castellan/contracts';
import { hashOf } from '../src/audit/chain.ts';
import { anAddress } from './builders.ts';

// jsdom has no SubtleCrypto.
Object.defineProperty(globalThis, 'crypto', { value: webcrypto, configurable: true });

const genesis = '0'.repeat(64);

export const anAuditRow = (number: number, parts: Partial<AuditRow> = {}): AuditRow =>
  AuditRow.parse({
    id: `row-${number}`,
    seq: number,
    timestamp: `2026-01-${String(number).padStart(2, '0')}T12:00:00.000Z`,
    category: 'role',
    action_type: 'secondary_manager_added',
    vault_address: anAddress(1),
    chain_id: 31337,
    actor_wallet: anAddress(0x10),
    details: { reason: 'drill', manager: anAddress(0x11) },
    tx_hash: `0x${number.toString(16).padStart(64, '0')}`,
    request_id: null,
    vault_seq: number,
    vault_prev_hash: genesis,
    prev_hash: genesis,
    hash: genesis,
    ...parts,
  });

/** A log of one vault as the export gives it; `earlier` of its rows are from before the vault had a chain of its own. */
export async function aChain(count: number, earlier = 0) {
  const rows: AuditRow[] = [];
  for (let number = 1; number <= count; number += 1) {
    const before = rows.at(-1)?.hash ?? genesis;
    const row = anAuditRow(number, { prev_hash: before, vault_prev_hash: before });
    if (number <= earlier) {
      const { category: _c, vault_seq: _s, vault_prev_hash: _p, ...first } = row;
      const hash = await hashOf(first as AuditRow);
      rows.push({ ...row, category: 'write', vault_seq: null, vault_prev_hash: null, hash });
    } else rows.push({ ...row, hash: await hashOf(row) });
  }
  return { head: { vault_seq: count, hash: rows.at(-1)?.hash ?? genesis }, rows };
}
