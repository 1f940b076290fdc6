import { createPrivateKey, createPublicKey, diffieHellman, hkdfSync, type KeyObject } from 'node:crypto';
import { bytesToHex, type Hex, hexToBytes } from 'viem';

/** RFC 8410: an X25519 or Ed25519 key in DER is a fixed head and its 32 bytes. */
const heads = {
  x25519: { private: '302e020100300506032b656e04220420', public: '302a300506032b656e032100' },
  ed25519: { private: '302e020100300506032b657004220420', public: '302a300506032b6570032100' },
} as const;

const der = (head: string, key: Uint8Array) => Buffer.concat([Buffer.from(head, 'hex'), key]);
const privateKey = (curve: keyof typeof heads, key: Uint8Array): KeyObject =>
  createPrivateKey({ key: der(heads[curve].private, key), format: 'der', type: 'pkcs8' });
const publicKey = (curve: keyof typeof heads, key: Uint8Array): KeyObject =>
  createPublicKey({ key: der(heads[curve].public, key), format: 'der', type: 'spki' });
const publicOf = (curve: keyof typeof heads, secret: Hex): Hex => {
  const exported = createPublicKey(privateKey(curve, hexToBytes(secret))).export({ format: 'der', type: 'spki' });
  return bytesToHex(exported.subarray(heads[curve].public.length / 2));
};

/** Public key of an Ed25519 seed of 32 bytes. */
export const ed25519PublicKey = (seed: Hex): Hex => publicOf('ed25519', seed);

/** Public key of an X25519 private key of 32 bytes. */
export const x25519PublicKey = (secret: Hex): Hex => publicOf('x25519', secret);

/** X25519 of one side's private and the other side's public key. @throws when the point is of low order. */
export const x25519Shared = (secret: Hex, point: Hex): Uint8Array =>
  new Uint8Array(
    diffieHellman({
      privateKey: privateKey('x25519', hexToBytes(secret)),
      publicKey: publicKey('x25519', hexToBytes(point)),
    }),
  );

/** Fixed for ever: another label would make other keys of the same seeds. */
const encryptionLabel = 'castellan/validator/config-encryption/x25519/v1';

/** X25519 private key of the validator that holds this Ed25519 seed: derived, so that one key fewer must be kept. */
export const encryptionSecretOf = (offchainSeed: Hex): Hex =>
  bytesToHex(new Uint8Array(hkdfSync('sha256', hexToBytes(offchainSeed), '', encryptionLabel, 32)));
