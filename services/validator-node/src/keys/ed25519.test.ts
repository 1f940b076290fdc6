import { runs } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { ed25519Signer, verifyEd25519 } from './ed25519.ts';

const { Point } = ed25519;
const order = Point.CURVE().n;
const seed = new Uint8Array(32).fill(7);
const publicKey = ed25519.getPublicKey(seed);
const message = new Uint8Array([1, 2, 3]);
const signature = ed25519.sign(message, seed);
const strict = (signed: Uint8Array, said: Uint8Array, key: Uint8Array) =>
  ed25519.verify(signed, said, key, { zip215: false });
const littleEndian = (value: bigint) =>
  Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
const fromLittleEndian = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
/** A point of order 8. */
const torsion = Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a');

test('behavior: signs what RFC 8032 says, byte for byte', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ maxLength: 200 }), (secret, said) => {
      expect(ed25519Signer(secret, ed25519.getPublicKey(secret))(said)).toEqual(ed25519.sign(said, secret));
    }),
    runs(150),
  );
});

test('behavior: takes and refuses what the strict rules of RFC 8032 take and refuse', () => {
  expect(verifyEd25519(signature, message, publicKey)).toBe(true);
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 80 }),
      fc.constantFrom('none', 'signature', 'message', 'key'),
      fc.nat(63),
      fc.integer({ min: 1, max: 255 }),
      (said, what, at, flip) => {
        const parts = { signature: ed25519.sign(said, seed), message: Uint8Array.from(said), key: publicKey.slice() };
        const bytes = what === 'none' ? undefined : parts[what];
        if (bytes && bytes.length > 0) bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ flip;
        expect(verifyEd25519(parts.signature, parts.message, parts.key)).toBe(
          strict(parts.signature, parts.message, parts.key),
        );
      },
    ),
    runs(300),
  );
});

test('error: the other form of a signature, with s beyond the order of the group', () => {
  const s = fromLittleEndian(signature.subarray(32));
  const other = Uint8Array.from([...signature.subarray(0, 32), ...littleEndian(s + order)]);
  expect(verifyEd25519(other, message, publicKey)).toBe(false);
});

test('error: a signature whose R has a part of small order', () => {
  const r = Point.fromBytes(signature.subarray(0, 32)).add(torsion);
  const other = Uint8Array.from([...r.toBytes(), ...signature.subarray(32)]);
  expect(verifyEd25519(other, message, publicKey)).toBe(false);
});

test.each([
  ['of small order', Point.ZERO.toBytes()],
  ['of order 8', torsion.toBytes()],
  ['in its second encoding', littleEndian(2n ** 255n - 19n + 1n)],
])('error: a key %s, under which anybody could sign', (_what, key) => {
  // For the neutral element R = sB holds for every message.
  const forged = Uint8Array.from([...Point.BASE.multiply(5n).toBytes(), ...littleEndian(5n)]);
  expect(verifyEd25519(forged, message, key)).toBe(false);
});

test('error: a key with a part of small order', () => {
  const mixed = Point.fromBytes(publicKey).add(torsion).toBytes();
  for (let i = 0; i < 16; i += 1) expect(verifyEd25519(signature, Uint8Array.of(i), mixed)).toBe(false);
});

test('error: bytes of another length are a bad signature like any other', () => {
  expect(verifyEd25519(signature.subarray(1), message, publicKey)).toBe(false);
  expect(verifyEd25519(signature, message, publicKey.subarray(1))).toBe(false);
});
