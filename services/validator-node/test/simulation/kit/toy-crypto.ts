import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { verifyEd25519 } from '../../../src/keys/ed25519.ts';
import type { OffchainKeyring } from '../../../src/ports.ts';
import type { VerifyOffchain } from '../../../src/protocol/signing.ts';

/**
 * Signatures of 64 bytes that are a hundred times cheaper than Ed25519. They hold as long as everybody signs with the keyring it was
 * given, and that is so in one process of ours.
 */
export const sha256 = (...parts: readonly (Uint8Array | string)[]): Uint8Array => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
};

const twice = (secret: Uint8Array, message: Uint8Array): Uint8Array => {
  const half = sha256(secret, message);
  return Uint8Array.from([...half, ...half]);
};

/** The same with the signatures that oracles really use. */
export function realKeys(n: number): ToyKeys {
  const secrets = Array.from({ length: n }, (_, i) => sha256(`secret ${i}`));
  const publicKeys = secrets.map((secret) => ed25519.getPublicKey(secret));
  const signNow = (oracle: number, message: Uint8Array) => ed25519.sign(message, secrets[oracle] as Uint8Array);
  return {
    ...toyKeys(n),
    publicKeys,
    keyring: (oracle) => ({
      publicKey: publicKeys[oracle] as Uint8Array,
      sign: async (message) => signNow(oracle, message),
    }),
    signNow,
    verifyOffchain: verifyEd25519,
  };
}

export type ToyKeys = {
  publicKeys: readonly Uint8Array[];
  keyring(oracle: number): OffchainKeyring;
  signNow(oracle: number, message: Uint8Array): Uint8Array;
  verifyOffchain: VerifyOffchain;
  /** For prices, 32 bytes. */
  signPrice(oracle: number, digest: Uint8Array): Uint8Array;
};

export function toyKeys(n: number): ToyKeys {
  const secrets = Array.from({ length: n }, (_, i) => sha256(`secret ${i}`));
  const publicKeys = secrets.map((secret) => sha256('public', secret));
  const byKey = new Map(publicKeys.map((key, i) => [Buffer.from(key).toString('hex'), secrets[i] as Uint8Array]));
  const signNow = (oracle: number, message: Uint8Array) => twice(secrets[oracle] as Uint8Array, message);
  return {
    publicKeys,
    keyring: (oracle) => ({
      publicKey: publicKeys[oracle] as Uint8Array,
      sign: async (message) => signNow(oracle, message),
    }),
    signNow,
    verifyOffchain: (signature, message, publicKey) => {
      const secret = byKey.get(Buffer.from(publicKey).toString('hex'));
      return secret !== undefined && Buffer.compare(twice(secret, message), signature) === 0;
    },
    signPrice: (oracle, digest) => sha256(secrets[oracle] as Uint8Array, 'price', digest),
  };
}
