import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';
import type { Curve, RecoverableSignature } from './curve.ts';

const { Point } = secp256k1;
const { n } = Point.CURVE();
/** Bits of the multiples of a signer's point that are kept. More take longer to work out and make no check faster. */
const WINDOW = 5;
/** The hash is signed as it is, and the recovery bit stands before r and s. */
const form = { prehash: false, format: 'recovered' } as const;

const joined = ({ bytes, recovery }: RecoverableSignature): Uint8Array => Uint8Array.of(recovery, ...bytes);

/** The curve in JavaScript: slower by ten to forty times, and wherever Node runs. */
export const javascriptCurve: Curve = {
  name: 'javascript',
  publicKeyOf: (secret) => secp256k1.getPublicKey(secret, false),
  sign(hash, secret) {
    const [recovery = 0, ...bytes] = secp256k1.sign(hash, secret, form);
    return { bytes: Uint8Array.from(bytes), recovery };
  },
  recover(hash, signature) {
    try {
      return Point.fromBytes(secp256k1.recoverPublicKey(joined(signature), hash, form)).toBytes(false);
    } catch {
      // Bytes that are on no curve point are a bad signature like any other.
      return null;
    }
  },
  /** Recovering says that r is the x of (h/s)G + (r/s)Q, and the bit its parity; with Q known both can be asked directly. */
  checkOf(publicKey) {
    const point = Point.fromBytes(publicKey).precompute(WINDOW, false);
    return (hash, { bytes, recovery }) => {
      const r = bytesToNumberBE(bytes.subarray(0, 32));
      const s = bytesToNumberBE(bytes.subarray(32));
      if (r === 0n || s === 0n || r >= n || s >= n) return false;
      const inverse = Point.Fn.inv(s);
      const base = Point.BASE.multiplyUnsafe((bytesToNumberBE(hash) * inverse) % n);
      const sum = base.add(point.multiplyUnsafe((r * inverse) % n));
      if (sum.is0()) return false;
      const { x, y } = sum.toAffine();
      return x === r && (y & 1n) === BigInt(recovery);
    };
  },
};
