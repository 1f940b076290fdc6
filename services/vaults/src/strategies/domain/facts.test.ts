import { expect, test } from '@jest/globals';
import { factsOf } from './facts.ts';

const priceAt = (seconds: number, priceMaxAgeSeconds = 90_000) => {
  const price = { answer: '99900000', decimals: 8, updated_at: '1000' };
  const block_time = new Date(seconds * 1000).toISOString();
  const observed = { block_number: 1, block_hash: '0x', block_time, args: { price, allocation: [] } };
  return factsOf(observed, { count: 0, shares: 0n }, { apyOf: () => null, priceMaxAgeSeconds }).price;
};

test('behavior: the price is what the feed says, as long as it may be silent', () => {
  expect(priceAt(1_000)).toBe('99900000e-8');
  expect(priceAt(91_000)).toBe('99900000e-8');
});

test('error: the last word of a feed that is silent is no price', () => {
  expect(priceAt(91_001)).toBeNull();
  expect(priceAt(1_061, 60)).toBeNull();
});
