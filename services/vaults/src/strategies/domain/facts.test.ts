import { expect, test } from '@jest/globals';
import { factsOf, type SourceFacts, snapshotOf } from './facts.ts';

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

const source = `0x${'5'.repeat(40)}`;
/** What a strategy sees of a source by its price and its peak. */
const drawdownOf = (pps: string | null, peak: Pick<SourceFacts, 'peak'>) => {
  const args = { idle: '1', total_assets: '2', total_supply: '2', pps: '1', pps_precision: '1', price: null };
  const seen = { source_address: source, assets: '1', shares: '1', available: '1', price_per_share: pps };
  const observed = { block_number: 1, block_hash: '0x', block_time: '2026-01-01T00:00:00Z' };
  const facts = factsOf(
    { ...observed, args: { ...args, allocation: [seen] } },
    { count: 0, shares: 0n },
    {
      apyOf: () => null,
      priceMaxAgeSeconds: 1,
    },
  );
  const sources = facts.sources.map(({ peak: _none, ...of }) => ({ ...of, ...peak }));
  return snapshotOf({ ...facts, sources }).values[`ys_${source}_drawdown`];
};

test('default: a drawdown is exactly how far the price is below its peak', () => {
  expect(drawdownOf('980000', { peak: '1000000' })).toBe('0.02');
  expect(drawdownOf('999999999999999999', { peak: '1000000000000000000' })).toBe('0.000000000000000001');
  expect(drawdownOf('2', { peak: '3' })).toBe('1/3');
  expect(drawdownOf('0', { peak: '3' })).toBe('1');
});

test('behavior: a price above the peak that was measured before it is no drawdown', () => {
  expect([drawdownOf('3', { peak: '3' }), drawdownOf('4', { peak: '3' })]).toEqual(['0', '0']);
});

test('behavior: without a price or a peak, as in what was recorded before there were any, it has no value', () => {
  expect([drawdownOf(null, { peak: '3' }), drawdownOf('3', { peak: null }), drawdownOf('3', {})]).toEqual([
    null,
    null,
    null,
  ]);
});
