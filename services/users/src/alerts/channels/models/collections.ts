import { AlertSeverity, ChannelReceives, Delivery, NotificationChannel, QuietHours } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** Lower case. */
const wallet = z.string().regex(/^0x[0-9a-f]{40}$/);
const count = z.number().int().min(0);

/** `to`: a chat or an address; absent in what was sealed before there were channels with one. */
export type ChannelConfig = { url: string | null; secret: string | null; to?: string | null };

export const notificationChannels = defineCollection({
  name: 'notification_channels',
  kept: 'truth',
  about: 'Channels that notifications go to; URL and secret are sealed.',
  shape: z.object({
    channel_id: z.string().min(1),
    owner: wallet,
    /** The chain where the owner is a contract and was proven; absent: proven by its key, or of before chains were kept. */
    chain_id: count.optional(),
    provider: NotificationChannel.shape.provider,
    name: z.string(),
    /** {@link ChannelConfig} as JSON, sealed. */
    sealed: z.string(),
    /** What is shown of the URL. */
    origin: z.string().nullable(),
    /** What is shown of the chat or address; absent in channels of before there were any with one. */
    to: z.string().nullable().optional(),
    is_active: z.boolean(),
    /** Absent in channels of before there were any. */
    quiet_hours: QuietHours.nullable().optional(),
    created_at: z.date(),
    updated_at: z.date(),
    version: count,
  }),
  indexes: [{ keys: { channel_id: 1 }, unique: true }, { keys: { owner: 1, created_at: -1 } }],
});
export type StoredChannel = DocumentOf<typeof notificationChannels>;

/** `next_sequence` moves on only once the event before it was delivered. */
export const channelBindings = defineCollection({
  name: 'channel_bindings',
  kept: 'truth',
  about: 'A channel on a vault, and the event that it is to deliver next.',
  shape: z.object({
    channel_id: z.string().min(1),
    chain_id: count,
    vault: wallet,
    vault_address: z.string(),
    min_severity: AlertSeverity,
    /** Absent: all. */
    receives: ChannelReceives.optional(),
    /** Sequences before `next_sequence` that quiet hours hold back, ascending; they go with the digest. */
    held: z.array(count).optional(),
    bound_by: wallet,
    bound_at: z.date(),
    next_sequence: count,
    /** Tries of the event at the head that failed. */
    failures: count,
    due_at: z.date(),
    last_delivered_at: z.date().nullable(),
    /** Where the role of `bound_by` was found to have ended: nothing is sent, until that is final or undone. */
    role_ended_block: count.optional(),
    /** Grows with each move and each replay: a delivery that was overtaken by a replay does not move on. */
    revision: count,
  }),
  indexes: [
    { keys: { channel_id: 1, chain_id: 1, vault: 1 }, unique: true },
    { keys: { chain_id: 1, vault: 1 } },
    { keys: { due_at: 1 } },
  ],
});
export type StoredBinding = DocumentOf<typeof channelBindings>;

const KEPT_SECONDS = 30 * 86_400;

export const deliveries = defineCollection({
  name: 'deliveries',
  kept: 'truth',
  about: 'What was sent to a channel, and what came of it.',
  shape: Delivery.extend({ t: z.date() }),
  indexes: [
    { keys: { delivery_id: 1 }, unique: true },
    { keys: { channel_id: 1, t: -1, delivery_id: -1 } },
    { keys: { t: 1 }, ttlSeconds: KEPT_SECONDS },
  ],
});
export type StoredDelivery = DocumentOf<typeof deliveries>;

/** The collections of notifications. */
export const openNotificationCollections = (connection: Connection) => ({
  channels: notificationChannels.open(connection),
  bindings: channelBindings.open(connection),
  deliveries: deliveries.open(connection),
});
export type NotificationCollections = ReturnType<typeof openNotificationCollections>;
