import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { type Address, type Hex, bytesToHex as toPrefixedHex } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import type { EncryptionKeyring, OffchainKeyring, OnchainKeyring } from '../ports.ts';
import type { Curve } from './curve/curve.ts';
import { fastestCurve } from './curve/fastest.ts';
import { ed25519Signer } from './ed25519.ts';
import { signedBy } from './signed-by.ts';

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

/** `publicKey`: 65 bytes, uncompressed, beginning with 04. */
export type SecpKeyring = OnchainKeyring & { publicKey: Uint8Array };

/** A secp256k1 key in memory. */
export function secpKeyring(secret: Uint8Array, curve: Curve = fastestCurve): SecpKeyring {
  return checkedKeyring({
    publicKey: curve.publicKeyOf(secret),
    async sign(hash) {
      const { bytes, recovery } = curve.sign(Buffer.from(hash.slice(2), 'hex'), secret);
      return `0x${bytesToHex(bytes)}${recovery === 0 ? '1b' : '1c'}`;
    },
  });
}

const halfOrder = secp256k1.Point.CURVE().n / 2n;

/**
 * Any signer of hashes as a keyring, each signature checked before it leaves: right key, low s, v 27 or 28. A KMS that answers
 * with another key, or with a high s, would have its signatures refused by the contract and nobody would know why.
 */
export function checkedKeyring(signer: { publicKey: Uint8Array; sign(hash: Hex): Promise<Hex> }): SecpKeyring {
  const address: Address = publicKeyToAddress(toPrefixedHex(signer.publicKey));
  const isSignedBy = signedBy();
  return {
    publicKey: signer.publicKey,
    address,
    async sign(hash) {
      const signature = await signer.sign(hash);
      const form = /^0x[0-9a-f]{64}([0-9a-f]{64})(1b|1c)$/.exec(signature);
      if (!form || BigInt(`0x${form[1]}`) > halfOrder)
        throw new Error(`The signer of ${address} gave a signature that is not 65 bytes with low s and v 27 or 28.`);
      if (!isSignedBy(hash, signature, address)) throw new Error(`The signer of ${address} signed with another key.`);
      return signature;
    },
  };
}
