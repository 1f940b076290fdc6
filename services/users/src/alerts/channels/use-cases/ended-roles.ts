import { GetVaultManagers, type ResultOf } from '@castellan/contracts';
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

type Managers = ResultOf<typeof GetVaultManagers>;

const isManager = ({ primary, secondary }: Managers, { bound_by }: StoredBinding): boolean =>
  [primary, ...secondary].some(({ wallet_address }) => wallet_address.toLowerCase() === bound_by);

/** Takes the channel off the vault, as its owner has no role there any more. Safe to repeat: the row is written first. */
async function endBinding({ store, auditLog, now }: EndedRolesDeps, binding: StoredBinding): Promise<void> {
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

/** A role whose end was found at the block stays ended. */
const isFinal = ({ final_block }: Managers, block: number): boolean =>
  final_block !== undefined && block <= final_block;

/**
 * Whether the channel may have what happens on the vault: while the wallet that bound it manages the vault. Where it does not any
 * more, the channel comes off the vault once no reorganisation can give the role back.
 * @throws AppError when nobody can say: then nothing may be delivered.
 */
export async function mayDeliver(deps: EndedRolesDeps, binding: StoredBinding): Promise<boolean> {
  const { chain_id, vault_address, role_ended_block } = binding;
  const managers = await deps.callAction(GetVaultManagers, { chain_id, vault_address });
  if (isManager(managers, binding)) {
    if (role_ended_block !== undefined) await deps.store.noteEnd(binding, undefined, deps.now());
    return true;
  }
  if (role_ended_block === undefined) await deps.store.noteEnd(binding, managers.block_number, deps.now());
  if (isFinal(managers, role_ended_block ?? managers.block_number)) await endBinding(deps, binding);
  return false;
}

/**
 * Notes for every channel of the vault whether its owner's role has ended. It has ended anew, whatever was noted before: an earlier
 * end may have been undone.
 */
export async function noteEndedRoles(
  deps: EndedRolesDeps,
  vault: { chain_id: number; vault_address: string },
): Promise<void> {
  const { chain_id, vault_address } = vault;
  const bindings = await deps.store.onVault(vault);
  if (bindings.length === 0) return;
  const managers = await deps.callAction(GetVaultManagers, { chain_id, vault_address });
  for (const binding of bindings)
    await deps.store.noteEnd(binding, isManager(managers, binding) ? undefined : managers.block_number, deps.now());
}
