import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { bytesToHex, hexToBytes, keccak256, toHex } from 'viem';
import { sign } from 'viem/accounts';
import { javascriptCurve } from './javascript.ts';
import { nativeCurve } from './native.ts';

const native = nativeCurve();
const curves = native ? [javascriptCurve, native] : [javascriptCurve];
const secretOf = (text: string) => hexToBytes(keccak256(toHex(`secret of ${text}`)));
const hashOf = (text: string) => hexToBytes(keccak256(toHex(text)));
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

describe.each(curves.map((curve) => ({ name: curve.name, curve })))('$name', ({ curve }) => {
  test('default: signs as viem does, and recovers the key, for many keys and hashes', async () => {
    for (let index = 0; index < 100; index += 1) {
      const hash = hashOf(`${index}`);
      const secret = secretOf(`${index}`);
      const { r, s, yParity } = await sign({ hash: bytesToHex(hash), privateKey: bytesToHex(secret) });
      const signature = curve.sign(hash, secret);
      expect(bytesToHex(signature.bytes)).toBe(`${r}${s.slice(2)}`);
      expect(signature.recovery).toBe(yParity);
      const key = javascriptCurve.publicKeyOf(secret);
      expect(curve.publicKeyOf(secret)).toEqual(key);
      expect(curve.recover(hash, signature)).toEqual(key);
      expect(curve.checkOf(key)(hash, signature)).toBe(true);
      expect(curve.checkOf(key)(hashOf('another'), signature)).toBe(false);
    }
  });

  test.each([
    ['zero', toHex(0n, { size: 32 })],
    ['the order', toHex(order, { size: 32 })],
  ])('error: %s is no private key', (_, secret) => {
    expect(() => curve.publicKeyOf(hexToBytes(secret))).toThrow();
    expect(() => curve.sign(hashOf('a'), hexToBytes(secret))).toThrow();
  });

  test('error: what is no signature recovers to nobody', () => {
    const { bytes } = curve.sign(hashOf('a'), secretOf('a'));
    const check = curve.checkOf(curve.publicKeyOf(secretOf('a')));
    const zeroes = new Uint8Array(32);
    const forms = [[...zeroes, ...bytes.slice(32)], [...bytes.slice(0, 32), ...zeroes], new Uint8Array(64).fill(255)];
    for (const form of forms) {
      const forged = { bytes: Uint8Array.from(form), recovery: 0 };
      expect([curve.recover(hashOf('a'), forged), check(hashOf('a'), forged)]).toEqual([null, false]);
    }
  });
});

test('behavior: the curve that is not made for secrets is installed and never loaded', () => {
  const { cache } = createRequire(import.meta.url);
  expect(Object.keys(cache).filter((path) => path.includes('/node_modules/elliptic/'))).toEqual([]);
});
