import { createPublicKey, createVerify, generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { signatureOfDer } from './der.ts';

const word = (value: bigint) => value.toString(16).padStart(64, '0');

test('default: r and s of what OpenSSL writes, with and without the zero before them', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const publicKey = createPublicKey(privateKey);
  const lengths = new Set<number>();
  for (let index = 0; index < 50; index += 1) {
    const message = Buffer.of(index);
    const der = sign('sha256', message, privateKey);
    lengths.add(der.length);
    const read = signatureOfDer(der);
    const plain = Buffer.from(`${word(read?.r ?? 0n)}${word(read?.s ?? 0n)}`, 'hex');
    const check = createVerify('sha256').update(message);
    expect(check.verify({ key: publicKey, dsaEncoding: 'ieee-p1363' }, plain)).toBe(true);
  }
  expect(lengths.size).toBeGreaterThan(1);
});

test.each([
  ['nothing', ''],
  ['another tag', '310602010102010 2'],
  ['a length beyond the end', '300702010102 0102'],
  ['bytes behind it', '300602010102010200'],
  ['bytes behind s', '3008020101020102ffff'],
  ['one number', '3003020101'],
  ['an empty number', '3005020002 0102'],
  ['a negative number', '3006020180020102'],
  ['a length in the long form', '30810602010102 0102'],
  ['a number of 34 bytes', `3027022200${'11'.repeat(33)}020102`],
])('error: %s is no signature', (_, hex) => {
  expect(signatureOfDer(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).toBeUndefined();
});
