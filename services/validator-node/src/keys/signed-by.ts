import { secp256k1 } from '@noble/curves/secp256k1.js';
import { type Address, type Hex, hexToBigInt, recoverPublicKey } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';

export type SignedBy = (hash: Hex, signature: Hex, signer: Address) => Promise<boolean>;

type Curve = InstanceType<typeof secp256k1.Point>;

const { Point } = secp256k1;
const { n } = Point.CURVE();
/** Bits of the multiples of a signer's point that are kept. More take longer to work out and make no check faster. */
const WINDOW = 5;
/** Twice the most validators of a network: those of the next configuration beside those of the last. */
const MOST_SIGNERS = 62;

/**
 * Whether the contract would recover `signer` from the signature: 65 bytes, v 27 or 28. Signers come back in every round, so the first
 * good signature of one is recovered and its point kept; from then on r must be the x of (h/s)G + (r/s)Q, and v its parity, which
 * is the same statement.
 */
export function signedBy(): SignedBy {
  const points = new Map<string, Curve>();
  const meet = async (hash: Hex, signature: Hex, signer: string): Promise<boolean> => {
    // Bytes that are on no curve point are a bad signature like any other.
    const key = await recoverPublicKey({ hash, signature }).catch(() => null);
    if (key === null || publicKeyToAddress(key).toLowerCase() !== signer) return false;
    if (points.size >= MOST_SIGNERS) points.clear();
    points.set(signer, Point.fromHex(key.slice(2)).precompute(WINDOW, false));
    return true;
  };
  return async (hash, signature, address) => {
    if (!/^0x[0-9a-f]{128}(1b|1c)$/.test(signature)) return false;
    const signer = address.toLowerCase();
    const point = points.get(signer);
    return point === undefined ? meet(hash, signature, signer) : fits(hash, signature, point);
  };
}

function fits(hash: Hex, signature: Hex, point: Curve): boolean {
  const r = hexToBigInt(`0x${signature.slice(2, 66)}`);
  const s = hexToBigInt(`0x${signature.slice(66, 130)}`);
  if (r === 0n || s === 0n || r >= n || s >= n) return false;
  const inverse = Point.Fn.inv(s);
  const base = Point.BASE.multiplyUnsafe((hexToBigInt(hash) * inverse) % n);
  const sum = base.add(point.multiplyUnsafe((r * inverse) % n));
  if (sum.is0()) return false;
  const { x, y } = sum.toAffine();
  return x === r && (y & 1n) === (signature.endsWith('1c') ? 1n : 0n);
}
