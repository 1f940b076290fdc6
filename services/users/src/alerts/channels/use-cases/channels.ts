import { randomUUID } from 'node:crypto';
import {
  AppError,
  type ChangeChannel,
  type CreateChannel,
  type DeleteChannel,
  GetChainRoles,
  isProvenOn,
  isWithinBinding,
  type ListChannels,
  type NotificationChannel,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import type { AccessCollections } from '../../../access/models/collections.ts';
import { requireCaller } from '../../../access/use-cases/require-role.ts';
import type { AuditLog } from '../../../audit/adapters/audit-log.mongo.ts';
import type { AlertRecords } from '../../records/adapters/alert-records.mongo.ts';
import type { ChannelStore } from '../adapters/channel-store.mongo.ts';
import { type ChannelPolicy, configFor, shownConfig } from '../channel-config.ts';
import type { ChannelConfig, StoredBinding, StoredChannel } from '../models/collections.ts';

export type ChannelDeps = ChannelPolicy & {
  collections: AccessCollections;
  store: ChannelStore;
  records: AlertRecords;
  auditLog: AuditLog;
  checksum: (address: string) => string;
  now: () => Date;
};

const MOST_CHANNELS = 20;

/** Those that people read. The others count what they get, or have schedules of their own, so nothing is kept from them. */
const canBeQuiet: ReadonlySet<string> = new Set(['slack', 'email', 'telegram']);

const keyed: ReadonlySet<string> = new Set(['webhook', 'telegram', 'pagerduty', 'opsgenie']);

/** A channel as everybody with a right to it may see it. */
export const shownChannel = (
  { checksum }: Pick<ChannelDeps, 'checksum'>,
  channel: StoredChannel,
  bindings: readonly StoredBinding[],
): NotificationChannel => ({
  channel_id: channel.channel_id,
  provider: channel.provider,
  name: channel.name,
  config: {
    url: channel.origin,
    to: channel.to ?? null,
    has_secret: keyed.has(channel.provider),
  },
  is_active: channel.is_active,
  quiet_hours: channel.quiet_hours ?? null,
  created_by: checksum(channel.owner),
  created_at: channel.created_at.toISOString(),
  updated_at: channel.updated_at.toISOString(),
  version: channel.version,
  vaults: bindings
    .filter(({ channel_id }) => channel_id === channel.channel_id)
    .map(({ chain_id, vault_address }) => ({ chain_id, vault_address })),
});

/**
 * Whether a channel of the caller's wallet is the caller's own. A contract wallet is proven on one chain, and of the same address on another one
 * somebody else may be the owner: it has the channels made there, and of older ones those that are bound to vaults of that chain only.
 */
const isOwn = ({ caller }: Call, channel: StoredChannel, bindings: readonly StoredBinding[]): boolean => {
  if (caller?.chain_id === undefined) return true;
  if (channel.chain_id !== undefined) return isProvenOn(caller, channel.chain_id);
  const own = bindings.filter(({ channel_id }) => channel_id === channel.channel_id);
  return own.length > 0 && own.every(({ chain_id }) => isProvenOn(caller, chain_id));
};

/** The caller's own channel. @throws AppError CHANNEL_NOT_FOUND, for others' too: nobody else may know whether there is one. */
export async function requireOwn(
  { store }: Pick<ChannelDeps, 'store'>,
  call: Call,
  channelId: string,
): Promise<StoredChannel> {
  const wallet = requireCaller(call).toLowerCase();
  const channel = await store.get(channelId);
  if (!channel || channel.owner !== wallet || !isOwn(call, channel, await store.bindingsOf([channelId])))
    throw new AppError('CHANNEL_NOT_FOUND', 'You have no channel of this id.');
  return channel;
}

async function ownChannels({ store }: Pick<ChannelDeps, 'store'>, call: Call) {
  const all = await store.ofOwner(requireCaller(call));
  const bindings = await store.bindingsOf(all.map(({ channel_id }) => channel_id));
  return { channels: all.filter((channel) => isOwn(call, channel, bindings)), bindings };
}

export const listChannels =
  (deps: ChannelDeps) =>
  async (_params: ParamsOf<typeof ListChannels>, call: Call): Promise<ResultOf<typeof ListChannels>> => {
    const { channels, bindings } = await ownChannels(deps, call);
    return { channels: channels.map((channel) => shownChannel(deps, channel, bindings)) };
  };

/** For managers, as long as they are: who makes us call an address of their choice should have something to lose. */
export async function requireManagerSomewhere(call: Call): Promise<string> {
  const wallet_address = requireCaller(call);
  const { roles } = await call.callAction(GetChainRoles, { wallet_address });
  if (roles.some((role) => isWithinBinding(call.caller, role))) return wallet_address;
  throw new AppError('ROLE_REQUIRED', 'This needs the role primary_manager or secondary_manager on some vault.');
}

export const createChannel =
  (deps: ChannelDeps) =>
  async (params: ParamsOf<typeof CreateChannel>, call: Call): Promise<ResultOf<typeof CreateChannel>> => {
    const owner = (await requireManagerSomewhere(call)).toLowerCase();
    const { provider, name, config: given } = params;
    const config = configFor(provider, given, deps);
    if ((await ownChannels(deps, call)).channels.length >= MOST_CHANNELS)
      throw new AppError('TOO_MANY_CHANNELS', `A wallet may have ${MOST_CHANNELS} channels. Delete one first.`);
    const channel_id = `ch_${randomUUID()}`;
    const at = deps.now();
    const channel: StoredChannel = {
      channel_id,
      owner,
      ...(call.caller?.chain_id === undefined ? {} : { chain_id: call.caller.chain_id }),
      provider,
      name,
      sealed: deps.store.seal({ channel_id, owner }, config),
      ...shownConfig(config),
      is_active: true,
      created_at: at,
      updated_at: at,
      version: 1,
    };
    await deps.store.add(channel);
    return { ...shownChannel(deps, channel, []), secret: provider === 'webhook' ? config.secret : null };
  };

/** What the channel has now; nothing of one that cannot be opened, so that its owner can set it anew. */
function configBefore({ store }: Pick<ChannelDeps, 'store'>, channel: StoredChannel): ChannelConfig {
  try {
    return store.configOf(channel);
  } catch {
    return { url: null, secret: null, to: null };
  }
}

/** A row for each vault that the channel is bound to: its alerts come at other times from now on. */
async function auditQuietHours(
  deps: ChannelDeps,
  call: Call,
  { channel_id, name, version, quiet_hours = null }: StoredChannel,
  bindings: readonly StoredBinding[],
): Promise<void> {
  for (const { chain_id, vault, vault_address } of bindings)
    await deps.auditLog.append({
      id: `notification:quiet:${channel_id}:v${version}:${chain_id}:${vault}`,
      timestamp: deps.now().toISOString(),
      category: 'alert',
      action_type: 'notification_channel_quiet_hours_set',
      vault_address,
      chain_id,
      actor_wallet: requireCaller(call),
      details: { channel_id, name, quiet_hours },
      tx_hash: null,
      request_id: call.requestId ?? null,
    });
}

export const changeChannel =
  (deps: ChannelDeps) =>
  async (params: ParamsOf<typeof ChangeChannel>, call: Call): Promise<NotificationChannel> => {
    const { channel_id, version, name, is_active, quiet_hours, config: given } = params;
    const channel = await requireOwn(deps, call, channel_id);
    await requireManagerSomewhere(call);
    if (quiet_hours && !canBeQuiet.has(channel.provider))
      throw new AppError(
        'VALIDATION_FAILED',
        'Only channels that people read have quiet hours: Slack, email, Telegram.',
        {
          data: { errors: [{ path: 'body.quiet_hours', message: 'must be null for this kind of channel' }] },
        },
      );
    const before = configBefore(deps, channel);
    const merged = {
      url: given?.url ?? before.url ?? undefined,
      secret: given?.secret ?? before.secret ?? undefined,
      to: given?.to ?? before.to ?? undefined,
    };
    const config = given ? configFor(channel.provider, merged, deps) : undefined;
    const changed = await deps.store.change(channel_id, version, {
      ...(name === undefined ? {} : { name }),
      ...(is_active === undefined ? {} : { is_active }),
      ...(quiet_hours === undefined ? {} : { quiet_hours }),
      ...(config ? { sealed: deps.store.seal(channel, config), ...shownConfig(config) } : {}),
      updated_at: deps.now(),
    });
    const bindings = await deps.store.bindingsOf([channel_id]);
    if (quiet_hours !== undefined) await auditQuietHours(deps, call, changed, bindings);
    return shownChannel(deps, changed, bindings);
  };

export const deleteChannel =
  (deps: ChannelDeps) =>
  async ({ channel_id }: ParamsOf<typeof DeleteChannel>, call: Call): Promise<ResultOf<typeof DeleteChannel>> => {
    await requireOwn(deps, call, channel_id);
    return { deleted: await deps.store.remove(channel_id) };
  };
