import { expect, test } from '@jest/globals';
import { intentFilter } from './read-intents.ts';

test('behavior: a transaction is found by whichever of its forms was mined, beside a search for words', () => {
  const forms = { $or: [{ 'transaction.hash': '0xaa' }, { tx_hashes: '0xaa' }] };
  expect(intentFilter({ tx_hash: '0xaa', state: 'FAILED' } as never)).toEqual({ state: 'FAILED', $and: [forms] });
  const { $and } = intentFilter({ tx_hash: '0xaa', q: 'no_fill' } as never) as { $and: unknown[] };
  expect($and).toHaveLength(2);
  expect($and).toContainEqual(forms);
  expect(intentFilter({ state: 'FAILED' } as never)).toEqual({ state: 'FAILED' });
});
