import type { KeyObject } from 'node:crypto';
import pLimit from 'p-limit';
import { type Address, bytesToHex, type Hex, hexToBytes, keccak256, numberToHex, recoverPublicKey } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { type EcdsaSignature, KeyServiceError, type RemoteKey } from './remote-key.ts';

/** A secp256k1 key that signs for the chain, wherever it is. */
export type EthereumSigner = {
  /** 65 bytes, uncompressed, beginning with 04. */
  publicKey: Uint8Array;
  address: Address;
  /**
   * Signs the Keccak-256 hash of a message. It takes the message, since Web3Signer signs no hash that it has not made itself.
   * @returns 65 bytes: r, low s, v 27 or 28.
   * @throws KeyServiceError
   */
  signKeccak256(message: Hex): Promise<Hex>;
};

/** The key that made a signature; null when it is of no key. `bytes`: r and s. `recovery`: 0 or 1. */
export type Recover = (
  digest: Uint8Array,
  signature: { bytes: Uint8Array; recovery: number },
) => Uint8Array | null | Promise<Uint8Array | null>;

/** Requests to a key at once: the prices of a round come together, and key services have quotas. */
const AT_ONCE = 16;

/** Order of the group of secp256k1 (SEC 2, 2.4.1). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const byViem: Recover = async (digest, { bytes, recovery }) => {
  const signature = `${bytesToHex(bytes)}${recovery === 0 ? '1b' : '1c'}` as const;
  try {
    return hexToBytes(await recoverPublicKey({ hash: digest, signature }));
  } catch {
    return null;
  }
};

/** 65 bytes. @throws KeyServiceError for a key of another curve. */
function pointOf(key: KeyObject, name: string): Uint8Array {
  const { crv, kty, x, y } = key.export({ format: 'jwk' });
  if (crv !== 'secp256k1' || x === undefined || y === undefined)
    throw new KeyServiceError('unfit', `The key ${name} is ${crv ?? kty}, not secp256k1. Make one of this curve.`);
  return Uint8Array.from([4, ...Buffer.from(x, 'base64url'), ...Buffer.from(y, 'base64url')]);
}

/** r and s in 64 bytes, s the lower of its two forms: the contracts and the chain refuse the other (EIP-2). */
function lowForm({ r, s }: EcdsaSignature): Uint8Array | undefined {
  if (r <= 0n || r >= ORDER || s <= 0n || s >= ORDER) return undefined;
  return Buffer.concat([r, s > ORDER / 2n ? ORDER - s : s].map((part) => hexToBytes(numberToHex(part, { size: 32 }))));
}

/**
 * A key of a key service as a signer. Each signature is held against the public key that the service gave at first: the recovery id
 * comes from there, and a signature of another key never leaves.
 * @param recover - A faster curve than the one of viem, if there is one.
 * @throws KeyServiceError when the key cannot be read or is of another curve.
 */
export async function ethereumSigner(key: RemoteKey, recover: Recover = byViem): Promise<EthereumSigner> {
  const publicKey = pointOf(await key.readPublicKey(), key.name);
  const address = publicKeyToAddress(bytesToHex(publicKey));
  const inTurn = pLimit(AT_ONCE);
  return {
    publicKey,
    address,
    async signKeccak256(message) {
      const digest = keccak256(message, 'bytes');
      const bytes = lowForm(await inTurn(() => key.sign({ message: hexToBytes(message), digest })));
      if (bytes)
        for (const recovery of [0, 1]) {
          const signer = await recover(digest, { bytes, recovery });
          if (signer && Buffer.compare(signer, publicKey) === 0)
            return `${bytesToHex(bytes)}${recovery === 0 ? '1b' : '1c'}`;
        }
      throw new KeyServiceError(
        'wrong_key',
        `The key ${key.name} signed with another key than that of ${address}. Nothing it signs is used. Did its version change?`,
      );
    },
  };
}
