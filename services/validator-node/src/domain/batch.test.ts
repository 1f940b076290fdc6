import type { VaultState } from '@castellan/chain';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { composeBatch, type Reading } from './batch.ts';

const at = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, '0')}`;
const now = 10_000n;

/** A strategy that is due, at a price of 1.05; a test names only what it is about. */
const aReading = (n: number, changes: Partial<VaultState> = {}): Reading => ({
  strategy: at(n),
  state: {
    idleAssets: 50n,
    sources: [{ assets: 1_000n }],
    totalSupply: 1_000n,
    precision: 1_000_000n,
    isPaused: false,
    lastUpdateTimestamp: now - 60n,
    lastUnpauseTimestamp: 0n,
    minUpdateInterval: 60n,
    oracleNonce: 7n,
    ...changes,
  } as VaultState,
});
const unknown = { assets: null } as VaultState['sources'][number];

test('default: a due strategy at idle assets and sources over shares, rounded down, with its nonce', () => {
  expect(composeBatch([aReading(1)], now)).toEqual({
    updates: [{ strategy: at(1), pps: 1_050_000n, timestamp: now, nonce: 7n }],
    skipped: [],
  });
  expect(composeBatch([aReading(1, { totalSupply: 3n })], now).updates[0]?.pps).toBe(350_000_000n);
  expect(composeBatch([aReading(1, { idleAssets: 0n, sources: [], totalSupply: 7n })], now).updates).toEqual([]);
});

test.each<[string, string, Partial<VaultState>]>([
  ['paused', 'a paused strategy', { isPaused: true }],
  ['no_shares', 'no shares', { totalSupply: 0n }],
  ['unreadable', 'a source nobody could value', { sources: [{ assets: 5n } as never, unknown] }],
  ['unreadable', 'no active oracle', { oracleNonce: null }],
  ['unreadable', 'a price of zero, which would pause the strategy', { idleAssets: 0n, sources: [] }],
  ['too_soon', 'a second too early', { lastUpdateTimestamp: now - 59n }],
  ['too_soon', 'an unpause in this very block', { lastUnpauseTimestamp: now }],
  ['too_soon', 'a clock behind the last update', { lastUpdateTimestamp: now + 5n }],
])('behavior: %s: %s', (reason, _why, changes) => {
  expect(composeBatch([aReading(1, changes)], now)).toEqual({ updates: [], skipped: [{ strategy: at(1), reason }] });
});

test('behavior: an unpause before this block does not hold a price back', () => {
  expect(composeBatch([aReading(1, { lastUnpauseTimestamp: now - 1n })], now).updates).toHaveLength(1);
});

test('behavior: one that is left out holds nobody else back', () => {
  const { updates, skipped } = composeBatch([aReading(3), aReading(2, { isPaused: true }), aReading(1)], now);
  expect(updates.map(({ strategy }) => strategy)).toEqual([at(1), at(3)]);
  expect(skipped).toEqual([{ strategy: at(2), reason: 'paused' }]);
});

test('property: each strategy is reported or left out, once, and what is reported ascends by value, not by spelling', () => {
  const address = fc.bigInt({ min: 1n, max: 2n ** 160n - 1n });
  fc.assert(
    fc.property(fc.uniqueArray(fc.record({ address, paused: fc.boolean() }), { selector: (x) => x.address }), (all) => {
      const readings = all.map(({ address, paused }, index) => {
        const text = address.toString(16).padStart(40, '0');
        const strategy = `0x${index % 2 ? text.toUpperCase() : text}` as const;
        return { ...aReading(1, { isPaused: paused }), strategy };
      });
      const { updates, skipped } = composeBatch(readings, now);
      const numbers = updates.map(({ strategy }) => BigInt(strategy));
      expect(numbers).toEqual([...numbers].sort((a, b) => (a < b ? -1 : 1)));
      expect([...updates, ...skipped].map(({ strategy }) => strategy).sort()).toEqual(
        readings.map(({ strategy }) => strategy).sort(),
      );
    }),
  );
});
