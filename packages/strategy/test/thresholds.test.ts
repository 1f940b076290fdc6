import { describe, expect, test } from '@jest/globals';
import { farThresholds, lookupIn } from '../src/index.ts';
import { api, asApi, prime } from './written-strategies.ts';

describe('thresholds far from what is now', () => {
  const values = {
    vault_free_assets: '9867200000000000000',
    vault_tvl: '20000000000000000000',
    price: '1800',
    [`ys_${prime}_apy`]: '0.05',
    [`ys_${prime}_drawdown`]: '0.0001',
  };
  const far = (rule: string) => {
    const { asWritten, aliases } = asApi({ rule });
    if (!asWritten) throw new Error('It does not compile.');
    const lookup = lookupIn({ block_number: 1, block_time: 1, values });
    return farThresholds(asWritten, lookup, { vocabulary: api, aliases }).map(({ message }) => message);
  };

  test.each([
    ['vault_free_assets > 1000', /is 9.8672 WETH now; 0.000000000000001 WETH is less than a millionth/],
    ['vault_free_assets > 50_000 WETH', /2500 times as much/],
    ['1e40 < vault_free_assets', /more than a million times/],
    ['between(vault_free_assets, 0, 1e30)', /times as much/],
    ['Morpho Prime.apy > 800 %', /160 times as much/],
    ['price < 0.98', /is 1800 USD now; 0.98 USD is less than a twentieth/],
    ['tick_hour > 24', /tick_hour is 0 to 23/],
  ])('behavior: %s', (rule, words) => expect(far(rule)).toEqual([expect.stringMatching(words)]));

  test.each([
    'vault_free_assets > 1 WETH',
    'vault_free_assets > 15_000 WETH',
    'vault_tvl > 0',
    'price < 1000',
    // A fall that has hardly begun says nothing of the one that is waited for.
    'Morpho Prime.drawdown > 2 %',
    'true',
  ])('behavior: nothing is said of %s', (rule) => expect(far(rule)).toEqual([]));
});
