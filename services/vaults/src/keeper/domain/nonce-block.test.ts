import { expect, test } from '@jest/globals';
import { nonceBlock } from './nonce-block.ts';

test('default: as deep as the confirmations of the chain', () => {
  expect(nonceBlock(1_000, 12)).toBe(989);
  expect(nonceBlock(1_000, 64)).toBe(937);
});

test('behavior: not so deep that a full node has dropped the state', () => {
  expect(1_000 - nonceBlock(1_000, 300)).toBeLessThan(128 - 20);
});
