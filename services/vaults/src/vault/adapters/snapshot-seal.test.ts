import { aVault } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { snapshotSeal } from './snapshot-seal.ts';

const detail = aVault();
const appointment = { wallet: '0xaa', grantedBy: null, grantedAt: '2026-01-01T00:00:00.000Z' };
const snapshot = {
  chain_id: 1,
  vault: detail.vault_address.toLowerCase(),
  strategy: '0xcc',
  block_number: 7,
  block_hash: '0x07',
  managers: { primary: appointment, secondary: [{ ...appointment, wallet: '0xbb' }] },
  wallets: ['0xaa', '0xbb'],
  detail,
};
const seal = snapshotSeal('a secret');
const document = { ...snapshot, seal: seal.sealOf(snapshot) };

test('default: what was sealed is ours, also by another instance, and with other figures', () => {
  expect(snapshotSeal('a secret').isOurs(document)).toBe(true);
  expect(seal.isOurs({ ...document, detail: { ...detail, name: 'Another' } })).toBe(true);
});

test.each<[string, object]>([
  ['another primary manager', { managers: { ...snapshot.managers, primary: { ...appointment, wallet: '0xdd' } } }],
  ['one more secondary manager', { managers: { ...snapshot.managers, secondary: [appointment, appointment] } }],
  ['another wallet to be found by', { wallets: ['0xdd'] }],
  ['another vault', { vault: '0xee' }],
  ['another chain', { chain_id: 2 }],
  ['a higher block', { block_number: 8 }],
  ['no managers', { managers: null }],
  ['managers of the wrong type', { managers: { primary: 'me', secondary: 7 } }],
  ['no detail', { detail: undefined }],
  ['no seal', { seal: undefined }],
  ['a seal that is an object', { seal: { $ne: '' } }],
  ['a seal by another secret', { seal: snapshotSeal('another').sealOf(snapshot) }],
])('error: %s is not', (_what, changed) => {
  expect(seal.isOurs({ ...document, ...changed } as typeof document)).toBe(false);
});
