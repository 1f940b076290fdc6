import { createPublicKey, type KeyObject } from 'node:crypto';
import { bytesToHex, type Hex, hexToBigInt, hexToBytes, numberToHex } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A secp256k1 key that a key service of a test holds. */
export type ServedKey = {
  publicKey: KeyObject;
  /** Without the 04 that it begins with: 64 bytes. */
  point: Hex;
  /** r and s; s in its higher form where the key was made with `highS`, as key services may return it. */
  sign(digest: Uint8Array): Promise<{ r: bigint; s: bigint; v: bigint }>;
};

/** The key of a secret. @param highS - Its signatures have the higher of the two values that s may have. */
export function servedKey(secret: Hex, { highS = false } = {}): ServedKey {
  const point = hexToBytes(privateKeyToAccount(secret).publicKey).subarray(1);
  const part = (from: number) => Buffer.from(point.subarray(from, from + 32)).toString('base64url');
  const jwk = { kty: 'EC', crv: 'secp256k1', x: part(0), y: part(32) };
  return {
    publicKey: createPublicKey({ key: jwk, format: 'jwk' }),
    point: bytesToHex(point),
    async sign(digest) {
      const signature = await sign({ hash: bytesToHex(digest), privateKey: secret });
      const [r, s] = [hexToBigInt(signature.r), hexToBigInt(signature.s)];
      const v = 27n + BigInt(signature.yParity ?? 0);
      return highS ? { r, s: ORDER - s, v: 55n - v } : { r, s, v };
    },
  };
}

const integer = (value: bigint): Buffer => {
  const bytes = Buffer.from(hexToBytes(numberToHex(value)));
  const positive = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
  return Buffer.concat([Buffer.of(0x02, positive.length), positive]);
};

/** The form in which AWS and Google return a signature. */
export function derOf({ r, s }: { r: bigint; s: bigint }): Buffer {
  const numbers = Buffer.concat([integer(r), integer(s)]);
  return Buffer.concat([Buffer.of(0x30, numbers.length), numbers]);
}
