import {
  AppError,
  type ChannelBinding,
  type ParamsOf,
  type RedeliverChannel,
  type ReplayChannel,
} from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import { needs, requireRole } from '../../../access/use-cases/require-role.ts';
import { auditBinding, shownBinding } from '../../channels/use-cases/bindings.ts';
import type { ChannelDeps } from '../../channels/use-cases/channels.ts';

type Vault = { chain_id: number; vault_address: string };

async function again(deps: ChannelDeps, call: Call, params: Vault & { channel_id: string }, from: number | undefined) {
  await requireRole(deps.collections, call, params, needs.manager);
  const channel = await deps.store.get(params.channel_id);
  const binding = channel && (await deps.store.replay(params.channel_id, params, from, deps.now()));
  if (!channel || !binding) throw new AppError('CHANNEL_NOT_FOUND', 'No channel of this id is bound to this vault.');
  return { channel, binding };
}

/** Sends again from a sequence on. */
export const replayChannel =
  (deps: ChannelDeps) =>
  async (params: ParamsOf<typeof ReplayChannel>, call: Call): Promise<ChannelBinding> => {
    const { from_sequence, channel_id } = params;
    const head = await deps.records.headSequence(params.chain_id, params.vault_address.toLowerCase());
    // Beyond the next one would skip what has not happened yet.
    const { channel, binding } = await again(deps, call, params, Math.min(from_sequence, head + 1));
    const id = `replayed:${channel_id}:${params.chain_id}:${binding.vault}:${binding.revision}`;
    await auditBinding(deps, call, params, 'replayed', id, { channel_id, name: channel.name, from_sequence });
    return shownBinding(deps, binding, channel);
  };

/** Tries the event at the head again now, instead of at its next time. */
export const redeliverChannel =
  (deps: ChannelDeps) =>
  async (params: ParamsOf<typeof RedeliverChannel>, call: Call): Promise<ChannelBinding> => {
    const { channel, binding } = await again(deps, call, params, undefined);
    return shownBinding(deps, binding, channel);
  };
