import { describe, expect, test } from '@jest/globals';
import { type Hex, keccak256, recoverAddress, toHex } from 'viem';
import { privateKeyToAddress, sign } from 'viem/accounts';
import type { Curve } from './curve/curve.ts';
import { javascriptCurve } from './curve/javascript.ts';
import { nativeCurve } from './curve/native.ts';
import { signedBy } from './signed-by.ts';

const keys = ['5a', '5b'].map((byte) => `0x${byte.repeat(32)}` as Hex) as [Hex, Hex];
const [ours, other] = keys.map(privateKeyToAddress) as [Hex, Hex];
const hashOf = (text: string) => keccak256(toHex(text));
const signed = (text: string, privateKey = keys[0]) => sign({ hash: hashOf(text), privateKey, to: 'hex' });
const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const word = (value: bigint) => value.toString(16).padStart(64, '0');

const native = nativeCurve();
/** Where there is no native curve nothing uses it; CI runs where there is one. */
const curves: readonly Curve[] = native ? [javascriptCurve, native] : [javascriptCurve];

test('default: CI has the native curve', () => {
  expect(native !== undefined || process.env.CI !== 'true').toBe(true);
});

/** Each curve once for a signer that was never met, once for one whose key is kept. */
describe.each(curves.flatMap((curve) => ['new', 'known'].map((state) => ({ name: curve.name, curve, state }))))(
  '$name: a $state signer',
  ({ curve, state }) => {
    const check = async () => {
      const isSigned = signedBy(curve);
      if (state === 'known') expect(await isSigned(hashOf('first'), await signed('first'), ours)).toBe(true);
      return isSigned;
    };

    test('default: its own signatures, in any writing of its address', async () => {
      const isSigned = await check();
      for (const text of ['a', 'b', 'c', 'd'])
        expect(await isSigned(hashOf(text), await signed(text), ours.toLowerCase() as Hex)).toBe(true);
    });

    test('error: of another key, of another hash, of another signer', async () => {
      const isSigned = await check();
      expect(await isSigned(hashOf('a'), await signed('a', keys[1]), ours)).toBe(false);
      expect(await isSigned(hashOf('b'), await signed('a'), ours)).toBe(false);
      expect(await isSigned(hashOf('a'), await signed('a'), other)).toBe(false);
    });

    test('error: every byte counts, the parity too', async () => {
      const signature = await signed('a');
      const isSigned = await check();
      for (let at = 2; at < signature.length; at += 2) {
        const changed = (Number.parseInt(signature.slice(at, at + 2), 16) ^ (at === 130 ? 7 : 1))
          .toString(16)
          .padStart(2, '0');
        const forged = `${signature.slice(0, at)}${changed}${signature.slice(at + 2)}` as Hex;
        expect([at, await isSigned(hashOf('a'), forged, ours)]).toEqual([at, false]);
      }
    });

    test('error: zeros, the order itself, no parity, too short', async () => {
      const isSigned = await check();
      const r = `${'0'.repeat(63)}1`;
      const s = `${'0'.repeat(63)}1`;
      for (const forged of [
        `${word(0n)}${s}1b`,
        `${r}${word(0n)}1b`,
        `${word(n)}${s}1b`,
        `${r}${word(n)}1c`,
        `${r}${s}00`,
        `${r}${s}`,
      ])
        expect(await isSigned(hashOf('a'), `0x${forged}`, ours)).toBe(false);
    });

    test('behavior: says what recovering says, high s included', async () => {
      const isSigned = await check();
      const signature = await signed('a');
      const high = word(n - BigInt(`0x${signature.slice(66, 130)}`));
      const twin = `${signature.slice(0, 66)}${high}${signature.endsWith('1b') ? '1c' : '1b'}` as Hex;
      expect(await recoverAddress({ hash: hashOf('a'), signature: twin })).toBe(ours);
      expect(await isSigned(hashOf('a'), twin, ours)).toBe(true);
    });
  },
);

test('behavior: more signers than are kept are still distinguished', async () => {
  const isSigned = signedBy();
  for (let nr = 1; nr <= 70; nr += 1) {
    const key = `0x${word(BigInt(nr))}` as Hex;
    expect(await isSigned(hashOf('a'), await signed('a', key), privateKeyToAddress(key))).toBe(true);
    expect(await isSigned(hashOf('a'), await signed('a', key), ours)).toBe(false);
  }
});
