import { expect, test } from '@jest/globals';
import type { IntentDocument } from '../intents/store.mongo.ts';
import { intentFilter, intentView } from './read-intents.ts';

test('behavior: a transaction is found by whichever of its forms was mined, beside a search for words', () => {
  const forms = { $or: [{ 'transaction.hash': '0xaa' }, { tx_hashes: '0xaa' }] };
  expect(intentFilter({ tx_hash: '0xaa', state: 'FAILED' } as never)).toEqual({ state: 'FAILED', $and: [forms] });
  const { $and } = intentFilter({ tx_hash: '0xaa', q: 'no_fill' } as never) as { $and: unknown[] };
  expect($and).toHaveLength(2);
  expect($and).toContainEqual(forms);
  expect(intentFilter({ state: 'FAILED' } as never)).toEqual({ state: 'FAILED' });
});

test('behavior: an intent names the form of its transaction that was mined, and until then the first', () => {
  const hashOf = (stored: object) =>
    intentView({
      chain_id: 1,
      vault_address: `0x${'a'.repeat(40)}`,
      fills: [],
      transaction: { hash: '0xaa' },
      ...stored,
    } as unknown as IntentDocument).tx_hash;
  expect(hashOf({ transaction: null })).toBeNull();
  expect(hashOf({})).toBe('0xaa');
  expect(hashOf({ mined_hash: '0xbb' })).toBe('0xbb');
  // Stored before the form was noted.
  expect(hashOf({ fills: [{ tx_hash: '0xcc' }] })).toBe('0xcc');
});
