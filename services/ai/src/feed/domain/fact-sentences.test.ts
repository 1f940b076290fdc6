import { describe, expect, test } from '@jest/globals';
import { hasWords, sayFact, type Words } from './fact-sentences.ts';
import { isUnusual, notableEvents } from './notable.ts';

test.each(notableEvents.filter((event) => !/PPSUpdated$|StaleReset$/.test(event)))(
  'default: there are words for %s',
  (event) => expect(hasWords(event.split('.')[1] ?? '')).toBe(true),
);
test.each(['jump', 'recovered'])('default: there are words for a price that made a %s', (name) =>
  expect(hasWords(name)).toBe(true),
);

describe('what the vault knows by a name', () => {
  const source = '0x00000000000000000000000000000000000000B1';
  const words = (name: string | null): Words => ({
    asset: { symbol: 'USDC', decimals: 6 },
    upkeep: null,
    ppsDecimals: 6,
    nameOf: (wallet) => wallet,
    sourceName: () => name,
  });
  const said = (name: string, of: string | null) =>
    sayFact({ name, figures: { source, newOracle: source } }, words(of));

  test('default: a yield source is called by its name', () => {
    expect(said('YieldSourceAdded', 'Morpho Prime').title).toBe('The yield source “Morpho Prime” was added');
    expect(said('YieldSourceOracleUpdated', 'Morpho\nPrime').title).toBe(
      'The yield source “Morpho Prime” is now valued by another oracle',
    );
  });

  test('edge: one that the vault does not have any more is called by its address', () => {
    expect(said('YieldSourceRemoved', null).title).toBe('The yield source 0x0000…00B1 was removed');
  });
});

describe('an unusual move', () => {
  const bps = (value: number): bigint => BigInt(Math.round(value * 100_000));
  const swinging = Array.from({ length: 20 }, (_, index) => bps(index % 2 === 0 ? 10 : -10));

  test('default: beyond six standard deviations of those before, and not below', () => {
    expect(isUnusual(swinging, bps(61), 6n)).toBe(true);
    expect(isUnusual(swinging, bps(60), 6n)).toBe(false);
    expect(isUnusual(swinging, bps(-61), 6n)).toBe(true);
  });

  test('default: never one that is small, and never by a few moves', () => {
    const still = Array.from({ length: 20 }, () => 0n);
    expect(isUnusual(still, bps(4.9), 6n)).toBe(false);
    expect(isUnusual(still, bps(5.1), 6n)).toBe(true);
    expect(isUnusual(still.slice(0, 9), bps(50), 6n)).toBe(false);
  });
});
