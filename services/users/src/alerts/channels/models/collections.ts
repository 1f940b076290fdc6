import type { AlertSeverity, Delivery, NotificationChannel } from '@castellan/contracts';
import type { Connection } from 'mongoose';
import { openCollection, unique } from '../../../store/open-collection.ts';

export type ChannelConfig = { url: string | null; secret: string | null };

export type StoredChannel = {
  channel_id: string;
  /** Lower case. */
  owner: string;
  provider: NotificationChannel['provider'];
  name: string;
  /** {@link ChannelConfig} as JSON, sealed. */
  sealed: string;
  /** What is shown of the URL. */
  origin: string | null;
  is_active: boolean;
  created_at: Date;
  updated_at: Date;
  version: number;
};

/** A channel on a vault, and where it is. `next_sequence` moves on only once the event before it was delivered. */
export type StoredBinding = {
  channel_id: string;
  chain_id: number;
  vault: string;
  vault_address: string;
  min_severity: AlertSeverity;
  bound_by: string;
  bound_at: Date;
  next_sequence: number;
  /** Tries of the event at the head that failed. */
  failures: number;
  due_at: Date;
  last_delivered_at: Date | null;
  /** Grows with each move and each replay: a delivery that was overtaken by a replay does not move on. */
  revision: number;
};

export type StoredDelivery = Omit<Delivery, 't'> & { t: Date };

const KEPT_SECONDS = 30 * 86_400;

/** The collections of notifications and their indexes. */
export const openNotificationCollections = (connection: Connection) => ({
  channels: openCollection<StoredChannel>(connection, 'notification_channels', [
    [{ channel_id: 1 }, unique],
    [{ owner: 1, created_at: -1 }],
  ]),
  bindings: openCollection<StoredBinding>(connection, 'channel_bindings', [
    [{ channel_id: 1, chain_id: 1, vault: 1 }, unique],
    [{ chain_id: 1, vault: 1 }],
    [{ due_at: 1 }],
  ]),
  deliveries: openCollection<StoredDelivery>(connection, 'deliveries', [
    [{ delivery_id: 1 }, unique],
    [{ channel_id: 1, t: -1, delivery_id: -1 }],
    [{ t: 1 }, { expireAfterSeconds: KEPT_SECONDS }],
  ]),
});
export type NotificationCollections = ReturnType<typeof openNotificationCollections>;
