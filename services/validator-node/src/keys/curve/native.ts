import { createRequire } from 'node:module';
import type { Curve } from './curve.ts';

const require = createRequire(import.meta.url);

type Bindings = {
  publicKeyCreate(secret: Uint8Array, compressed: boolean): Uint8Array;
  ecdsaSign(hash: Uint8Array, secret: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaRecover(signature: Uint8Array, recovery: number, hash: Uint8Array, compressed: boolean): Uint8Array;
};

/**
 * libsecp256k1, as the package brings it along built for Linux on x64, macOS on arm64 and Windows. Only the bindings are loaded:
 * the package's own fallback has a curve that is not made for secrets.
 * @returns undefined where there is no build for this machine.
 */
export function nativeCurve(): Curve | undefined {
  const bindings = loaded();
  if (!bindings) return undefined;
  const recover: Curve['recover'] = (hash, { bytes, recovery }) => {
    try {
      return bindings.ecdsaRecover(bytes, recovery, hash, false);
    } catch {
      // Bytes that are on no curve point are a bad signature like any other.
      return null;
    }
  };
  return {
    name: 'native',
    publicKeyOf: (secret) => bindings.publicKeyCreate(secret, false),
    sign(hash, secret) {
      const { signature, recid } = bindings.ecdsaSign(hash, secret);
      return { bytes: signature, recovery: recid };
    },
    recover,
    checkOf: (publicKey) => (hash, signature) => {
      const key = recover(hash, signature);
      return key !== null && Buffer.compare(key, publicKey) === 0;
    },
  };
}

function loaded(): Bindings | undefined {
  try {
    return require('secp256k1/bindings') as Bindings;
  } catch {
    return undefined;
  }
}
