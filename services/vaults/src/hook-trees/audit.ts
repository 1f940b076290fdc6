import { randomUUID } from 'node:crypto';
import { VaultUpdated } from '@castellan/contracts';
import { currentRequestId, type PendingEvent, pendingEvent, pendingRow } from '@castellan/service-kit';
import { getAddress } from 'viem/utils';
import type { AuditEvent, OfVault } from './models/hook-trees.ts';

type Written = {
  action: string;
  actor: string;
  at: Date;
  vault?: { chain_id: number; vault_address: string };
  details: Record<string, unknown>;
  requestId?: string | null;
};

/** The audit row of a write. */
export const writtenBy = ({ action, actor, at, vault, details, requestId }: Written): AuditEvent => ({
  id: `merkle:${randomUUID()}`,
  timestamp: at.toISOString(),
  category: 'write',
  action_type: action,
  vault_address: vault?.vault_address ?? null,
  chain_id: vault?.chain_id ?? null,
  actor_wallet: getAddress(actor),
  details,
  tx_hash: null,
  request_id: requestId ?? currentRequestId() ?? null,
});

/** What is stored with a write that changes what anybody may read of a vault: its row, and that the vault has changed. */
export const rowAndUpdate = (row: AuditEvent, { chain_id, vault }: OfVault): PendingEvent[] => {
  const update = { chain_id, vault_address: getAddress(vault), kind: 'vault' as const, block_number: 0 };
  return [pendingRow(row), pendingEvent(VaultUpdated, update, { msgId: `update:${row.id}` })];
};
