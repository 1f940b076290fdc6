import { expect, test } from '@jest/globals';
import { readPaths } from './reads.ts';
import { HOLDERS, POSITION, queryOf } from './verify.ts';

test('behavior: all reads are those of one vault, and its position that of the largest holder, who was asked for before', () => {
  expect(readPaths).toEqual(expect.arrayContaining([HOLDERS, POSITION]));
  expect(readPaths.indexOf(HOLDERS)).toBeLessThan(readPaths.indexOf(POSITION));
  const answer = (wallets: string[]) => ({ holders: wallets.map((wallet_address) => ({ wallet_address })) }) as never;
  const after = (wallets: string[]) => queryOf(POSITION, [{ read: HOLDERS, query: '', answer: answer(wallets) }]);
  expect([after(['0x1', '0x2']), after([]), queryOf(HOLDERS, [])]).toEqual(['wallet=0x1', undefined, '']);
});
