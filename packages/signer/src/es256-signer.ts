import { createHash, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { hexToBytes, numberToHex } from 'viem';
import { type KeyOptions, openKey } from './key-name.ts';
import { KeyServiceError, type RemoteKey } from './remote-key.ts';

/** A P-256 key that signs as ES256 asks for (RFC 7518, 3.4). */
export type Es256Signer = {
  publicJwk: JsonWebKey;
  /** Signs the SHA-256 hash of a message: r and s, 64 bytes. @throws KeyServiceError */
  sign(message: Uint8Array): Promise<Uint8Array>;
};

/** r and s; undefined where a number is longer than the curve's are. */
function joined(...numbers: bigint[]): Uint8Array | undefined {
  if (numbers.some((number) => number >= 1n << 256n)) return undefined;
  return Buffer.concat(numbers.map((number) => hexToBytes(numberToHex(number, { size: 32 }))));
}

/** A key of a key service as a signer; each signature is verified by the public key that the service gave at first. */
export async function es256Signer(key: RemoteKey): Promise<Es256Signer> {
  const publicKey: KeyObject = await key.readPublicKey();
  const publicJwk = publicKey.export({ format: 'jwk' });
  if (publicJwk.crv !== 'P-256')
    throw new KeyServiceError('unfit', `The key ${key.name} is ${publicJwk.crv ?? publicJwk.kty}, not P-256.`);
  return {
    publicJwk,
    async sign(message) {
      const digest = createHash('sha256').update(message).digest();
      const { r, s } = await key.sign({ message, digest });
      const signature = joined(r, s);
      if (!signature || !verify('sha256', message, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature))
        throw new KeyServiceError(
          'wrong_key',
          `The key ${key.name} signed with another key. Nothing it signs is used.`,
        );
      return signature;
    },
  };
}

/** No token: a token begins with `eyJ`, and no token has a blank. */
const probe = Buffer.from('Castellan tries this key. The signature allows nothing.');

/**
 * The signer of a P-256 key by its name, `SERVICE:NAME`, once it has signed.
 * @throws KeyServiceError
 */
export async function openEs256Signer(name: string, options?: KeyOptions): Promise<Es256Signer> {
  const signer = await es256Signer(await openKey(name, 'P-256', options));
  await signer.sign(probe);
  return signer;
}
