import { describe, expect, test } from '@jest/globals';
import { lossAndGain } from './figure-cases.ts';
import { unsupportedIn } from './scanner.ts';

const context = lossAndGain();

describe('the second reader', () => {
  test.each([
    'The APY is 113.35 % over 7 days, against 72.48 % over 30 days and 129.04 % since inception.',
    'TVL fell by 3.12 % over 7 days.',
    'TVL: -3.1 % over 7 days, that is -312 bps.',
    'TVL is $7,714.18, or $7.7k; it holds 5,490.64 USDC.',
    'There are three holders, twenty-six entries and 97 blocks.',
    'The deepest drawdown within 30 days was 1.60 %.',
    'The price was accepted at 2026-09-02 18:29 UTC and lasts for 24 hours.',
    'That is 2.06 times what the largest holder has; the 10 largest have 100 %.',
    'It earned [unverified: 99 %], they say.',
    'One of the sources, 0x0000…5001, is an ERC-4626 vault.',
  ])('default: is content with "%s"', (text) => {
    expect(unsupportedIn(text, context)).toEqual([]);
  });

  test.each([
    'The APY is 99 %.',
    'The APY is 113.4 bps.',
    'TVL fell by 12 %, [unverified: 99 %].',
    'TVL rose by 3.12 % over 7 days.',
    'Send it to 0x0000…6001.',
    'It was priced at 2026-09-02 18:30 UTC.',
  ])('error: does not take "%s"', (text) => {
    expect(unsupportedIn(text, context)).not.toEqual([]);
  });
});
