import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { concat, keccak256 } from 'viem';
import { digestsOf, digestsOfCalldata } from './digests.ts';

const named = (list: readonly { label: string; value: string }[], label: string) =>
  list.find((each) => each.label === label)?.value;

/** The example of EIP-712, with the hashes that it publishes. */
const mail = {
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  types: {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
};

test('default: typed data has the hashes that the standard publishes for its example', () => {
  expect(digestsOf(mail)).toEqual([
    { label: 'Domain hash', value: '0xf2cee375fa42b42143804025fc449deafd50cc031ca257e0b194a650a912090f' },
    { label: 'Message hash', value: '0xc52c0ee5d84264471806290a3f2c4cecfc5490626bf912d01f240d7a274b371e' },
    { label: 'Digest (EIP-712)', value: '0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2' },
  ]);
});

test('behavior: the digest is that of its two parts, and another message has another', () => {
  const digests = digestsOf(mail);
  const parts = ['Domain hash', 'Message hash'].map((label) => named(digests, label) as `0x${string}`);
  expect(keccak256(concat(['0x1901', ...parts]))).toBe(named(digests, 'Digest (EIP-712)'));
  const other = digestsOf({ ...mail, message: { ...mail.message, contents: 'Hello, Eve!' } });
  expect(named(other, 'Domain hash')).toBe(parts[0]);
  expect(named(other, 'Message hash')).not.toBe(parts[1]);
});

test('behavior: the digest of calldata begins with its length', () => {
  const [digest, plain] = digestsOfCalldata('0xa9059cbb');
  const length = `${'0'.repeat(63)}4`;
  expect(digest?.value).toBe(keccak256(`0x${length}a9059cbb`));
  expect(plain?.value).toBe(keccak256('0xa9059cbb'));
});
