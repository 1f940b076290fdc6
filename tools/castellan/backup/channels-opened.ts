import { mongo } from 'mongoose';
import { openChannel, plainPrefix, sealer } from '../../../services/users/src/alerts/channels/adapters/sealed.ts';
import {
  notificationChannels,
  type StoredChannel,
} from '../../../services/users/src/alerts/channels/models/collections.ts';
import type { Reader } from './records.ts';

/** How many of a backup's channels a key opens. */
export type ChannelsOpened = { channels: number; opened: number };

/** Tries the key that seals channels (64 hexadecimal digits) on each of a backup, as it is read. @throws Error for what is no such key. */
export function openingChannels(key: string): { reader: Reader; counted: ChannelsOpened } {
  if (!/^[0-9a-fA-F]{64}$/.test(key)) throw new Error('A key of channels has 64 hexadecimal digits.');
  const { open } = sealer(Buffer.from(key, 'hex'));
  const counted = { channels: 0, opened: 0 };
  let isChannels = false;
  const reader: Reader = {
    section: async ({ service, collection }) => {
      isChannels = service === 'users' && collection === notificationChannels.name;
    },
    document: async (document) => {
      if (!isChannels) return;
      const channel = mongo.BSON.deserialize(document) as StoredChannel;
      if (channel.sealed.startsWith(plainPrefix)) return;
      counted.channels += 1;
      try {
        openChannel({ open }, channel);
        counted.opened += 1;
      } catch {
        // Counted as one that stays closed.
      }
    },
  };
  return { reader, counted };
}
