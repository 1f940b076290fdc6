import { GetVaultManagers } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import type { AuditLog } from '../../../audit/adapters/audit-log.mongo.ts';
import type { ChannelStore } from '../adapters/channel-store.mongo.ts';
import type { StoredBinding } from '../models/collections.ts';

export type EndedRolesDeps = {
  store: ChannelStore;
  auditLog: AuditLog;
  callAction: CallAction;
  now: () => Date;
};

/**
 * Whether the wallet that bound the channel still manages the vault.
 * @throws AppError when nobody can say: then nothing may be delivered.
 */
export async function isBoundByManager(
  callAction: CallAction,
  { chain_id, vault_address, bound_by }: StoredBinding,
): Promise<boolean> {
  const { primary, secondary } = await callAction(GetVaultManagers, { chain_id, vault_address });
  return [primary, ...secondary].some(({ wallet_address }) => wallet_address.toLowerCase() === bound_by);
}

/** Takes the channel off the vault, as its owner has no role there any more. Safe to repeat: the row is written first. */
export async function endBinding({ store, auditLog, now }: EndedRolesDeps, binding: StoredBinding): Promise<void> {
  const { channel_id, chain_id, vault, vault_address, bound_at, bound_by } = binding;
  const channel = await store.get(channel_id);
  await auditLog.append({
    id: `notification:unbound:${channel_id}:${chain_id}:${vault}:${bound_at.getTime()}`,
    timestamp: now().toISOString(),
    category: 'alert',
    action_type: 'notification_channel_unbound',
    vault_address,
    chain_id,
    actor_wallet: null,
    details: { channel_id, name: channel?.name ?? channel_id, reason: 'role_ended', wallet_address: bound_by },
    tx_hash: null,
    request_id: null,
  });
  await store.drop(binding);
}

/** Takes every channel off the vault whose owner does not manage it any more. */
export async function endBindingsOf(
  deps: EndedRolesDeps,
  vault: { chain_id: number; vault_address: string },
): Promise<void> {
  for (const binding of await deps.store.onVault(vault))
    if (!(await isBoundByManager(deps.callAction, binding))) await endBinding(deps, binding);
}
