import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ivBytes = 12;
const tagBytes = 16;

const keyOf = (secret: string) => Buffer.from(hkdfSync('sha256', secret, 'castellan-auth', 'signing-key-seal-v1', 32));

/** @returns undefined when the key is another one, or the text was changed. */
function opened(bytes: Buffer, key: Buffer, label: string): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(label));
  try {
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/**
 * AES-256-GCM under a key derived from the deployment's secret; `label` binds the text to what it is.
 * @param previousSecret - While the secret is being changed: opens what the former one sealed.
 */
export function sealer(secret: string, previousSecret?: string) {
  const key = keyOf(secret);
  const previousKey = previousSecret === undefined ? undefined : keyOf(previousSecret);
  return {
    seal(text: string, label: string): string {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(label));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    /** @throws Error when it was sealed with neither secret, or changed. */
    open(sealed: string, label: string): { text: string; isFromPrevious: boolean } {
      const bytes = Buffer.from(sealed, 'base64url');
      const text = opened(bytes, key, label);
      if (text !== undefined) return { text, isFromPrevious: false };
      const former = previousKey && opened(bytes, previousKey, label);
      if (former !== undefined) return { text: former, isFromPrevious: true };
      throw new Error(
        'A stored signing key cannot be opened: AUTH_KEY_SECRET differs from the one it was sealed with. Give that one as AUTH_KEY_SECRET_PREVIOUS to change the secret.',
      );
    },
  };
}

export type Sealer = ReturnType<typeof sealer>;
