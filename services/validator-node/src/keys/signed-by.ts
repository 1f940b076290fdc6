import { type Address, bytesToHex, type Hex } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import type { Curve } from './curve/curve.ts';
import { fastestCurve } from './curve/fastest.ts';

export type SignedBy = (hash: Hex, signature: Hex, signer: Address) => boolean;

/** Twice the most validators of a network: those of the next configuration beside those of the last. */
const MOST_SIGNERS = 62;

/**
 * Whether the contract would recover `signer` from the signature: 65 bytes, v 27 or 28. Signers come back in every round, so the
 * key of each is kept from its first good signature on.
 */
export function signedBy(curve: Curve = fastestCurve): SignedBy {
  const checks = new Map<string, ReturnType<Curve['checkOf']>>();
  return (hash, signature, address) => {
    if (!/^0x[0-9a-f]{128}(1b|1c)$/.test(signature)) return false;
    const signer = address.toLowerCase();
    const signed = Buffer.from(hash.slice(2), 'hex');
    const parts = { bytes: Buffer.from(signature.slice(2, 130), 'hex'), recovery: signature.endsWith('1c') ? 1 : 0 };
    const check = checks.get(signer);
    if (check) return check(signed, parts);
    const key = curve.recover(signed, parts);
    if (key === null || publicKeyToAddress(bytesToHex(key)).toLowerCase() !== signer) return false;
    if (checks.size >= MOST_SIGNERS) checks.clear();
    checks.set(signer, curve.checkOf(key));
    return true;
  };
}
