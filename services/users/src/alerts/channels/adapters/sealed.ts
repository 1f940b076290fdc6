import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { StoredChannel } from '../models/collections.ts';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Keeps what must not lie in the open by AES-256-GCM, tied to whose it is. */
export type Sealer = { seal(text: string, owner: string): string; open(sealed: string, owner: string): string };

/** How channels were kept before a key was required; they are sealed at a start that is asked for it. */
export const plainPrefix = 'plain:';

/** @param key - 32 bytes. */
export function sealer(key: Buffer): Sealer {
  return {
    seal(text, owner) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(owner));
      const parts = [iv, cipher.update(text, 'utf8'), cipher.final()];
      return `v1:${Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64')}`;
    },
    open(sealed, owner) {
      if (!sealed.startsWith('v1:')) throw new Error('The secret of a channel is not sealed.');
      const bytes = Buffer.from(sealed.slice('v1:'.length), 'base64');
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(owner));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
    },
  };
}

/** A channel that is given to another owner cannot be opened: alerts go where the wallet that bound it wants them. */
export const labelOf = ({ channel_id, owner }: Pick<StoredChannel, 'channel_id' | 'owner'>): string =>
  `${channel_id} ${owner}`;

/** @throws Error for what was not sealed by this key for this channel and owner. */
export function openChannel(
  { open }: Pick<Sealer, 'open'>,
  { sealed, ...channel }: Pick<StoredChannel, 'channel_id' | 'owner' | 'sealed'>,
): string {
  try {
    return open(sealed, labelOf(channel));
  } catch {
    // Of before the owner was part of it.
    return open(sealed, channel.channel_id);
  }
}
