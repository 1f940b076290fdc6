import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';

/** Twice the most oracles of a network: those of the next configuration beside those of the last. */
const mostKeys = 62;
const keyBytes = 32;
const signatureBytes = 64;

const keys = new Map<string, KeyObject | null>();

/**
 * Ed25519 by RFC 8032, by the code of Node itself: a tenth of what the same takes in JavaScript. OpenSSL refuses s beyond the
 * group's order, and compares R byte by byte without a cofactor, so a signature has one form. It takes any key, though; keys with
 * a second encoding, of small order (under which anybody can sign) or with a part of small order are refused here.
 */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== signatureBytes) return false;
  const key = keyOf(publicKey);
  return key !== null && verify(null, message, key, signature);
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** Signs by RFC 8032 with this seed, by the code of Node itself: each message of a node has a signature. */
export function ed25519Signer(seed: Uint8Array, publicKey: Uint8Array): (message: Uint8Array) => Uint8Array {
  const jwk = { kty: 'OKP', crv: 'Ed25519', d: textOf(seed), x: textOf(publicKey) };
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  return (message) => new Uint8Array(sign(null, message, key));
}

function keyOf(publicKey: Uint8Array): KeyObject | null {
  const name = textOf(publicKey);
  let key = keys.get(name);
  if (key === undefined) {
    key = isSound(publicKey) ? createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: name }, format: 'jwk' }) : null;
    if (keys.size >= mostKeys) keys.clear();
    keys.set(name, key);
  }
  return key;
}

function isSound(publicKey: Uint8Array): boolean {
  if (publicKey.length !== keyBytes) return false;
  try {
    const point = ed25519.Point.fromBytes(publicKey);
    return !point.isSmallOrder() && point.isTorsionFree();
  } catch {
    // On no point of the curve, or in an encoding that RFC 8032 does not have.
    return false;
  }
}
