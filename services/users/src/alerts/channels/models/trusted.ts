import {
  channelBindings,
  notificationChannels,
  type StoredBinding,
  type StoredChannel,
  type StoredDelivery,
} from './collections.ts';

/** Documents are checked as they are read: others may be able to write to the store, and what is malformed must stop nothing. */

export const isChannel = (document: StoredChannel): boolean => notificationChannels.shape.safeParse(document).success;

/** Roles are read for `vault_address`, events are read of `vault`: they must be one vault. */
export const isBinding = (document: StoredBinding): boolean =>
  channelBindings.shape.safeParse(document).success && document.vault_address.toLowerCase() === document.vault;

export const isDelivery = ({ t, delivery_id }: StoredDelivery): boolean =>
  t instanceof Date && typeof delivery_id === 'string';

/** Logs and counts a stored document that was not taken. */
export type Distrust = (collection: string, id: unknown) => void;
