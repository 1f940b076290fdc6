import {
  AppError,
  type BindChannel,
  type ChannelBinding,
  type ListVaultChannels,
  type ParamsOf,
  type ResultOf,
  type UnbindChannel,
} from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import { forRole, needs, requireCaller, requireRole } from '../../../access/use-cases/require-role.ts';
import { RETRY_SECONDS } from '../domain/retry-schedule.ts';
import type { StoredBinding, StoredChannel } from '../models/collections.ts';
import { type ChannelDeps, requireOwn, shownChannel } from './channels.ts';

type Vault = { chain_id: number; vault_address: string };

function stateOf(
  { failures, next_sequence, role_ended_block }: StoredBinding,
  channel: StoredChannel,
  head: number,
): ChannelBinding['state'] {
  if (!channel.is_active || role_ended_block !== undefined) return 'inactive';
  if (failures > RETRY_SECONDS.length) return 'failing';
  if (failures > 0) return 'retrying';
  return next_sequence > head ? 'idle' : 'delivering';
}

/** A binding as a person with a role on the vault sees it. */
export async function shownBinding(
  deps: ChannelDeps,
  binding: StoredBinding,
  channel: StoredChannel,
): Promise<ChannelBinding> {
  const head = await deps.records.headSequence(binding.chain_id, binding.vault);
  return {
    channel: shownChannel(deps, channel, [binding]),
    min_severity: binding.min_severity,
    receives: binding.receives ?? 'all',
    held_back: binding.held?.length ?? 0,
    bound_by: deps.checksum(binding.bound_by),
    bound_at: binding.bound_at.toISOString(),
    state: stateOf(binding, channel, head),
    next_sequence: binding.next_sequence,
    head_sequence: head,
    waiting: Math.max(0, head - binding.next_sequence + 1),
    last_delivered_at: binding.last_delivered_at?.toISOString() ?? null,
    next_attempt_at: binding.failures > 0 ? binding.due_at.toISOString() : null,
  };
}

/** Channels of a vault, for anybody with a role on it; not which other vaults they are bound to. */
export const listVaultChannels = (deps: ChannelDeps) =>
  forRole(
    deps.collections,
    needs.anyRole,
    async (params: ParamsOf<typeof ListVaultChannels>): Promise<ResultOf<typeof ListVaultChannels>> => {
      const shown: ChannelBinding[] = [];
      for (const binding of await deps.store.onVault(params)) {
        const channel = await deps.store.get(binding.channel_id);
        if (channel) shown.push(await shownBinding(deps, binding, channel));
      }
      return { channels: shown };
    },
  );

/** Writes a row of what was done to a channel of the vault; `id` makes a second one of the same change impossible. */
export function auditBinding(
  deps: ChannelDeps,
  call: Call,
  { chain_id, vault_address }: Vault,
  action: string,
  id: string,
  details: object,
): Promise<void> {
  return deps.auditLog.append({
    id: `notification:${id}`,
    timestamp: deps.now().toISOString(),
    category: 'alert',
    action_type: `notification_channel_${action}`,
    vault_address,
    chain_id,
    actor_wallet: requireCaller(call),
    details: { ...details },
    tx_hash: null,
    request_id: call.requestId ?? null,
  });
}

/** Binds a channel from the next event on. */
export const bindChannel =
  (deps: ChannelDeps) =>
  async (params: ParamsOf<typeof BindChannel>, call: Call): Promise<ResultOf<typeof BindChannel>> => {
    const { chain_id, vault_address, channel_id, min_severity, receives } = params;
    await requireRole(deps.collections, call, params, needs.manager);
    const channel = await requireOwn(deps, call, channel_id);
    // A receiver that counts sequences would take what it is not sent for lost.
    if (channel.provider === 'webhook' && min_severity !== 'info')
      throw new AppError('VALIDATION_FAILED', 'A webhook gets every event, so that its sequence has no gaps.', {
        data: { errors: [{ path: 'body.min_severity', message: 'must be info for a webhook' }] },
      });
    if (channel.provider === 'webhook' && receives === 'escalations')
      throw new AppError('VALIDATION_FAILED', 'A webhook gets every event, escalations among them.', {
        data: { errors: [{ path: 'body.receives', message: 'must be all for a webhook' }] },
      });
    const vault = vault_address.toLowerCase();
    const now = deps.now();
    const created = await deps.store.bind({
      channel_id,
      chain_id,
      vault,
      vault_address,
      min_severity,
      ...(receives ? { receives } : {}),
      bound_by: requireCaller(call).toLowerCase(),
      bound_at: now,
      next_sequence: (await deps.records.headSequence(chain_id, vault)) + 1,
      failures: 0,
      due_at: now,
      last_delivered_at: null,
      revision: 1,
    });
    const binding = (await deps.store.binding(channel_id, params)) as StoredBinding;
    const id = `bound:${channel_id}:${chain_id}:${vault}:${binding.bound_at.getTime()}`;
    await auditBinding(deps, call, params, 'bound', id, {
      channel_id,
      name: channel.name,
      provider: channel.provider,
      min_severity,
      receives: binding.receives ?? 'all',
    });
    if (!created && receives !== undefined)
      await auditBinding(
        deps,
        call,
        params,
        'receives_set',
        `receives:${channel_id}:${chain_id}:${vault}:${now.getTime()}`,
        {
          channel_id,
          name: channel.name,
          receives,
        },
      );
    return { created, binding: await shownBinding(deps, binding, channel) };
  };

/** By any manager of the vault, also of another's channel: it gets the alerts of their vault. */
export const unbindChannel =
  (deps: ChannelDeps) =>
  async (params: ParamsOf<typeof UnbindChannel>, call: Call): Promise<ResultOf<typeof UnbindChannel>> => {
    await requireRole(deps.collections, call, params, needs.manager);
    const { channel_id, chain_id, vault_address } = params;
    const [binding, channel] = [await deps.store.binding(channel_id, params), await deps.store.get(channel_id)];
    const removed = await deps.store.unbind(channel_id, params);
    if (!removed || !binding) return { removed };
    const id = `unbound:${channel_id}:${chain_id}:${vault_address.toLowerCase()}:${binding.bound_at.getTime()}`;
    await auditBinding(deps, call, params, 'unbound', id, { channel_id, name: channel?.name ?? channel_id });
    return { removed };
  };
