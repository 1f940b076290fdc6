import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Keeps what must not lie in the open: with a key AES-256-GCM, tied to whose it is; without one it stays readable. */
export type Sealer = { seal(text: string, owner: string): string; open(sealed: string, owner: string): string };

/** @param key - 32 bytes; undefined keeps texts as they are. What was kept before there was a key can still be read. */
export function sealer(key: Buffer | undefined): Sealer {
  return {
    seal(text, owner) {
      if (!key) return `plain:${text}`;
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(owner));
      const parts = [iv, cipher.update(text, 'utf8'), cipher.final()];
      return `v1:${Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64')}`;
    },
    open(sealed, owner) {
      if (sealed.startsWith('plain:')) return sealed.slice('plain:'.length);
      if (!key) throw new Error('The secrets of channels are encrypted and NOTIFICATIONS_KEY is not set.');
      const bytes = Buffer.from(sealed.slice('v1:'.length), 'base64');
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(owner));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
    },
  };
}
