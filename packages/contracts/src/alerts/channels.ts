import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, DisplayName, Eip55, IsoTime, listOf, VaultRef } from '../primitives.ts';
import { QuietHours } from './duty.ts';
import { AlertSeverity } from './rules.ts';

/** Where a channel sends to. */
export const channelProviders = [
  'slack',
  'email',
  'telegram',
  'pagerduty',
  'opsgenie',
  'webhook',
  'websocket',
] as const;
/** One of `channelProviders`. */
export const ChannelProvider = z.enum(channelProviders);
export type ChannelProvider = z.infer<typeof ChannelProvider>;

/** A channel as it is returned: no secret, of its URL the origin only, and of an email address its domain and first letter. */
export const NotificationChannel = z.object({
  channel_id: z.string(),
  provider: ChannelProvider,
  name: z.string(),
  config: z.object({ url: z.string().nullable(), to: z.string().nullable(), has_secret: z.boolean() }),
  is_active: z.boolean(),
  /** When it holds back what can wait; what it held back comes as one digest afterwards. */
  quiet_hours: QuietHours.nullable().default(null),
  created_by: Eip55,
  created_at: IsoTime,
  updated_at: IsoTime,
  version: z.int().positive(),
  vaults: z.array(z.object({ chain_id: ChainId, vault_address: Eip55 })),
});
export type NotificationChannel = z.infer<typeof NotificationChannel>;

const Url = z.string().min(8).max(2000);
/** At least 24 characters: it keys an HMAC. */
const Secret = z.string().min(24).max(256);
/**
 * What a kind of channel takes. `slack`: `url`. `webhook`: `url`, and `secret` or one is made. `telegram`: `secret`, the token of the
 * bot, and `to`, the chat. `pagerduty` and `opsgenie`: `secret`, the key of the integration, and `url` where it is not the one of the
 * United States. `email`: `to`. `websocket`: nothing.
 */
const Config = z.strictObject({
  url: Url.optional(),
  secret: Secret.optional(),
  to: z.string().min(1).max(254).optional(),
});
const id = { channel_id: z.string().min(1).max(100) };

/** Channels of the caller. */
export const ListChannels = action('v1.users.channels', {
  callers: { user: 'read' },
  params: z.strictObject({}),
  result: z.object({ channels: z.array(NotificationChannel) }),
});

/** For managers of some vault. The `secret` of a webhook is returned here and never again; without one it is made. */
export const CreateChannel = action('v1.users.createChannel', {
  callers: { user: 'full' },
  params: z.strictObject({
    provider: ChannelProvider,
    name: DisplayName,
    config: Config.default({}),
  }),
  result: NotificationChannel.extend({ secret: z.string().nullable() }),
});

/**
 * Changes a channel of the caller; what is absent stays. @throws AppError CHANNEL_NOT_FOUND, VERSION_CONFLICT,
 * ADDRESS_FORBIDDEN.
 */
export const ChangeChannel = action('v1.users.changeChannel', {
  callers: { user: 'full' },
  params: z.strictObject({
    ...id,
    version: z.int().positive(),
    name: DisplayName.optional(),
    is_active: z.boolean().optional(),
    /** For channels that people read: Slack, email, Telegram. Null: none. */
    quiet_hours: QuietHours.nullable().optional(),
    config: Config.optional(),
  }),
  result: NotificationChannel,
});

/** Deletes a channel of the caller, with its bindings. @throws AppError CHANNEL_NOT_FOUND. */
export const DeleteChannel = action('v1.users.deleteChannel', {
  callers: { user: 'full' },
  params: z.strictObject(id),
  result: z.object({ deleted: z.boolean() }),
});

/** What came of one attempt; `dead_letter`: it was the last. */
export const DeliveryOutcome = z.enum(['delivered', 'failed', 'dead_letter']);
/** One attempt to deliver one event. `dead_letter`: the last of its tries; it is tried again each minute from then on. */
export const Delivery = z.object({
  delivery_id: z.string(),
  channel_id: z.string(),
  chain_id: ChainId.nullable(),
  vault_address: Eip55.nullable(),
  sequence: z.int().positive().nullable(),
  event_id: z.string(),
  event_type: z.string(),
  attempt: z.int().positive(),
  t: IsoTime,
  outcome: DeliveryOutcome,
  http_status: z.int().nullable(),
  /** Why not: a code such as TIMEOUT, ADDRESS_FORBIDDEN, HTTP_500, SMTP_550. */
  reason: z.string().nullable(),
  duration_ms: z.int().nonnegative(),
});
export type Delivery = z.infer<typeof Delivery>;

/** Sends a test event now and says what came of it. */
export const TestChannel = action('v1.users.testChannel', {
  callers: { user: 'full' },
  params: z.strictObject(id),
  result: Delivery,
});

/** Attempts to send to a channel, newest first. @throws AppError CHANNEL_NOT_FOUND, CURSOR_INVALID. */
export const ListDeliveries = action('v1.users.deliveries', {
  callers: { user: 'read' },
  params: z.strictObject({
    ...id,
    limit: z.int().min(1).max(500).default(100),
    cursor: z.string().max(500).optional(),
  }),
  result: listOf('deliveries', Delivery),
});

/** `escalations`: only alerts that nobody acknowledged in time, and what becomes of them. */
export const ChannelReceives = z.enum(['all', 'escalations']);
export type ChannelReceives = z.infer<typeof ChannelReceives>;

/** A channel on a vault, and how far it has come. */
export const ChannelBinding = z.object({
  channel: NotificationChannel,
  min_severity: AlertSeverity,
  receives: ChannelReceives.default('all'),
  /** Events that quiet hours hold back. */
  held_back: z.int().nonnegative().default(0),
  bound_by: Eip55,
  bound_at: IsoTime,
  /** `failing`: the event at the head is a dead letter; it and those behind it wait for the receiver. */
  state: z.enum(['idle', 'delivering', 'retrying', 'failing', 'inactive']),
  next_sequence: z.int().positive(),
  head_sequence: z.int().nonnegative(),
  waiting: z.int().nonnegative(),
  last_delivered_at: IsoTime.nullable(),
  next_attempt_at: IsoTime.nullable(),
});
export type ChannelBinding = z.infer<typeof ChannelBinding>;

/** Channels bound to a vault, with how far each has come. */
export const ListVaultChannels = action('v1.users.vaultChannels', {
  callers: { user: 'read' },
  params: VaultRef,
  result: z.object({ channels: z.array(ChannelBinding) }),
});

const onVault = { chain_id: ChainId, vault_address: Address, ...id };
/** Binds one's own channel to a vault one manages, from the next event on; again only changes the severity and what it receives. */
export const BindChannel = action('v1.users.bindChannel', {
  callers: { user: 'full' },
  params: z.strictObject({
    ...onVault,
    min_severity: AlertSeverity.default('info'),
    /** Absent: as it is, at first `all`. */
    receives: ChannelReceives.optional(),
  }),
  result: z.object({ created: z.boolean(), binding: ChannelBinding }),
});
/** Takes a channel from a vault. `removed` is false when it was not bound. */
export const UnbindChannel = action('v1.users.unbindChannel', {
  callers: { user: 'full' },
  params: z.strictObject(onVault),
  result: z.object({ removed: z.boolean() }),
});
/** Delivers again from a sequence on, with the ids they had. */
export const ReplayChannel = action('v1.users.replayChannel', {
  callers: { user: 'full' },
  params: z.strictObject({ ...onVault, from_sequence: z.int().positive() }),
  result: ChannelBinding,
});
/** Tries the event at the head now instead of when it is due. */
export const RedeliverChannel = action('v1.users.redeliverChannel', {
  callers: { user: 'full' },
  params: z.strictObject(onVault),
  result: ChannelBinding,
});
