import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ivBytes = 12;
const tagBytes = 16;

/** AES-256-GCM under a key derived from the deployment's secret; `label` binds the text to what it is. */
export function sealer(secret: string) {
  const key = Buffer.from(hkdfSync('sha256', secret, 'castellan-auth', 'signing-key-seal-v1', 32));
  return {
    seal(text: string, label: string): string {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(label));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    /** @throws Error when the secret is another one, or the text was changed. */
    open(sealed: string, label: string): string {
      const bytes = Buffer.from(sealed, 'base64url');
      const tag = bytes.subarray(ivBytes, ivBytes + tagBytes);
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(label));
      decipher.setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8');
      } catch (error) {
        throw new Error(
          'A stored signing key cannot be opened: AUTH_KEY_SECRET differs from the one it was sealed with.',
          {
            cause: error,
          },
        );
      }
    },
  };
}

export type Sealer = ReturnType<typeof sealer>;
