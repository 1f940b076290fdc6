/**
 * ECDSA over secp256k1, of hashes of 32 bytes. Signatures are r and s (64 bytes) beside the bit that separates the signer's point from
 * its mirror image; nonces follow RFC 6979 and s is low, so that a hash has one signature whichever implementation made it.
 */
export type Curve = {
  name: 'native' | 'javascript';
  /** 65 bytes, uncompressed. @throws when the secret is no private key. */
  publicKeyOf(secret: Uint8Array): Uint8Array;
  sign(hash: Uint8Array, secret: Uint8Array): RecoverableSignature;
  /** The key that made a signature, 65 bytes; null when it is of no key. A high s is taken, as the chain's precompile takes it. */
  recover(hash: Uint8Array, signature: RecoverableSignature): Uint8Array | null;
  /** Whether a signature would recover to this key. The check keeps what makes the next one faster. */
  checkOf(publicKey: Uint8Array): (hash: Uint8Array, signature: RecoverableSignature) => boolean;
};

/** `bytes`: r and s, 32 bytes each. `recovery`: 0 or 1. */
export type RecoverableSignature = { bytes: Uint8Array; recovery: number };
