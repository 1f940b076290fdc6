import { expect, test } from '@jest/globals';
import { becauseWords, readableNumbers } from './because.ts';

test.each([
  ['1 of 1 hold; 1 needed', 'the one condition is true'],
  ['0 of 1 hold, 1 cannot be known; 1 needed', 'the one condition is not known'],
  ['2 of 3 hold; 3 needed', '2 of 3 conditions are true; all must be'],
  ['0 of 3 hold; 1 needed', '0 of 3 conditions are true; one is enough'],
  ['1 of 4 hold, 1 cannot be known; 2 needed', '1 of 4 conditions are true, 1 not known; at least 2 must be'],
  ['the opposite', 'true when what is below is not'],
])('default: %s', (because, words) => {
  expect(becauseWords(because)).toBe(words);
});

const vault = { asset: { symbol: 'USDC', decimals: 6 }, symbol: 'cUSDC', vault_share_decimals: 18 };
test.each([
  ['34_707.385043 USDC > 55_960.79919335 USDC', '34,707.385043 USDC > 55,960.799193 USDC'],
  ['1.00000000001 USDC per share < 1_000 cUSDC', '1.000000 USDC per share < 1,000 cUSDC'],
  ['5000000 > 1_000_000 units', '5000000 > 1,000,000 units'],
  ['"Pool 1_000".amount and ys_0x1_000_apy have no value', '"Pool 1_000".amount and ys_0x1_000_apy have no value'],
  ['12.5 % > 10 %', '12.5 % > 10 %'],
])('default: %s is read as %s', (text, read) => {
  expect(readableNumbers(text, vault as Parameters<typeof readableNumbers>[1])).toBe(read);
});

test('behavior: a comparison stays as it is', () => {
  expect(becauseWords('5000000 > 1000000')).toBe('5000000 > 1000000');
});
