import { createCipheriv, createDecipheriv } from 'node:crypto';
import { bytesToHex, type Hex, hexToBytes, keccak256 } from 'viem';
import { x25519PublicKey, x25519Shared } from './keys.ts';
import type { SealedSecret } from './offchain-config.ts';

/** Bytes of the secret: one AES block, so that no mode and no padding are needed. */
export const SHARED_SECRET_BYTES = 16;

const keyOf = (shared: Uint8Array): Uint8Array => keccak256(shared, 'bytes').subarray(0, 16);

/**
 * Seals a secret for each oracle: AES-128 of one block under the first half of keccak256 of the X25519 result.
 * @param secret - 16 random bytes.
 * @param ephemeral - X25519 private key that is used for nothing else and forgotten after.
 */
export function dealSharedSecret(secret: Uint8Array, ephemeral: Hex, encryptionKeys: readonly Hex[]): SealedSecret {
  if (secret.length !== SHARED_SECRET_BYTES) throw new RangeError(`A shared secret has ${SHARED_SECRET_BYTES} bytes.`);
  const seal = (point: Hex): Hex => {
    const cipher = createCipheriv('aes-128-ecb', keyOf(x25519Shared(ephemeral, point)), null).setAutoPadding(false);
    return bytesToHex(Buffer.concat([cipher.update(secret), cipher.final()]));
  };
  return { point: x25519PublicKey(ephemeral), hash: keccak256(secret), encryptions: encryptionKeys.map(seal) };
}

/**
 * Opens the secret that was sealed for one oracle.
 * @param index - Place of the oracle in the configuration.
 * @param dh - X25519 of the oracle's own encryption key and a point.
 * @throws {Error} when what it finds does not have the hash that all oracles were given: the dealer gave out different
 * secrets, or the key is not the configured one.
 */
export async function openSharedSecret(
  sealed: SealedSecret,
  index: number,
  dh: (point: Uint8Array) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const encrypted = sealed.encryptions[index];
  if (encrypted === undefined) throw new Error(`The configuration holds no shared secret for oracle ${index}.`);
  const key = keyOf(await dh(hexToBytes(sealed.point)));
  const decipher = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  const secret = new Uint8Array(Buffer.concat([decipher.update(hexToBytes(encrypted)), decipher.final()]));
  if (keccak256(secret) !== sealed.hash) {
    throw new Error(
      'The shared secret of the configuration does not match its hash: the oracles were given different secrets, or ' +
        'this node holds another encryption key than the configuration names.',
    );
  }
  return secret;
}
