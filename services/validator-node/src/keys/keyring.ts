import type { EthereumSigner } from '@castellan/signer';
import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { keccak256, bytesToHex as toPrefixedHex } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import type { EncryptionKeyring, OffchainKeyring } from '../ports.ts';
import type { Curve } from './curve/curve.ts';
import { fastestCurve } from './curve/fastest.ts';
import { ed25519Signer } from './ed25519.ts';

/** Fixed for ever: another label would make other keys of the same seeds. */
const encryptionLabel = utf8ToBytes('castellan/validator/config-encryption/x25519/v1');

export function offchainKeyring(seed: Uint8Array): OffchainKeyring {
  const publicKey = ed25519.getPublicKey(seed);
  const sign = ed25519Signer(seed, publicKey);
  return { publicKey, sign: async (message) => sign(message) };
}

/** The X25519 key that belongs to an Ed25519 seed: derived, so that one key fewer must be kept. */
export function encryptionKeyring(seed: Uint8Array): EncryptionKeyring {
  const secret = hkdf(sha256, seed, undefined, encryptionLabel, 32);
  return {
    publicKey: x25519.getPublicKey(secret),
    dh: async (point) => x25519.getSharedSecret(secret, point),
  };
}

/** A secp256k1 key in memory. */
export function secpSigner(secret: Uint8Array, curve: Curve = fastestCurve): EthereumSigner {
  const publicKey = curve.publicKeyOf(secret);
  return {
    publicKey,
    address: publicKeyToAddress(toPrefixedHex(publicKey)),
    async signKeccak256(message) {
      const { bytes, recovery } = curve.sign(keccak256(message, 'bytes'), secret);
      return `0x${bytesToHex(bytes)}${recovery === 0 ? '1b' : '1c'}`;
    },
  };
}
