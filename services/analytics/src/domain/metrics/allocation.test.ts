import { describe, expect, test } from '@jest/globals';
import { wallet } from '../chain-log.fixture.ts';
import { momentOf } from '../moment.fixture.ts';
import { recompute } from '../published-formulas.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { bucketsOf, concentration, sourceCounts } from './allocation.ts';

const sources = (amounts: readonly (bigint | null)[]) =>
  amounts.map((assets, n) => ({
    source_address: wallet(0x5000 + n),
    assets: assets === null ? null : `${assets}`,
    available: null,
    price_per_share: null,
  }));

const seen = (idle: bigint, amounts: readonly (bigint | null)[]) =>
  momentOf(new VaultLog().observe({ idle: `${idle}`, allocation: sources(amounts) }));

describe('concentration', () => {
  test('default: 50/30/15/5 is an HHI of 0.365, 3 650 points, 2.74 effective sources, normalised 0.1533', () => {
    const found = concentration(seen(5n, [50n, 30n, 15n]));
    expect(found.hhi.value).toBe(0.365);
    expect(found.points.value).toBe(3_650);
    expect(found.effective.value).toBeCloseTo(2.74, 2);
    expect(found.normalised.value).toBeCloseTo(0.1533, 4);
    expect(found.band).toBe('high');
  });

  test('default: 99.5/0.5 is 0.99005, as good as one source', () => {
    const found = concentration(seen(5n, [995n]));
    expect(found.hhi.value).toBeCloseTo(0.990_05, 12);
    expect(found.effective.value).toBeCloseTo(1.01, 2);
    expect(found.hhiDeployed.value).toBe(1);
  });

  test.each([
    [[1n, 1n, 1n, 1n, 1n, 1n, 1n, 1n, 1n, 1n, 1n], 'low'],
    [[1n, 1n, 1n, 1n, 1n, 1n], 'medium'],
  ] as const)('behavior: the stricter bands (%s)', (amounts, band) => {
    expect(concentration(seen(1n, [...amounts])).band).toBe(band);
  });

  test('behavior: an empty source on the list makes nothing less concentrated', () => {
    const bare = concentration(seen(5n, [50n, 30n, 15n]));
    const listed = concentration(seen(5n, [50n, 0n, 30n, 15n, 0n]));
    expect(listed.normalised.value).toBe(bare.normalised.value);
    expect(recompute(listed.normalised.method, listed.normalised.inputs())).toBe(bare.normalised.value);
    expect(concentration(seen(0n, [95n, 0n])).normalised.value).toBe(1);
  });

  test('behavior: sources are counted by what they hold', () => {
    const { strategies, empty_sources } = sourceCounts(seen(5n, [50n, 0n, 30n, 15n, 0n]));
    expect([strategies.value, empty_sources.value]).toEqual([3, 2]);
  });

  test('behavior: without a value of a source the count is partial', () => {
    expect(sourceCounts(seen(5n, [50n, null])).strategies).toMatchObject({ value: 1, status: 'partial' });
  });

  test('behavior: before the first observation sources are counted from logs', () => {
    const vault = new VaultLog();
    const counts = () => {
      const { strategies, empty_sources } = sourceCounts(momentOf(vault));
      return [strategies.value, empty_sources.value, strategies.status, strategies.observed];
    };
    const first = wallet(0x51);
    const second = wallet(0x52);
    const third = wallet(0x53);
    for (const source of [first, second, third])
      vault.transaction(vault.manager, [['strategy.YieldSourceAdded', { source, oracle: wallet(0x60) }]]);
    expect(counts()).toEqual([0, 3, 'ok', false]);
    vault.transaction(vault.manager, [
      ['strategy.HookExecuted', { targetedYieldSource: first }],
      ['strategy.HookExecuted', { targetedYieldSource: wallet(0x99) }],
    ]);
    vault.transaction(vault.manager, [['strategy.YieldSourceRemoved', { source: third }]]);
    // Whether the first was emptied again no log says.
    expect(counts()).toEqual([1, 1, 'partial', false]);
  });

  test('behavior: a source that could not be valued makes the index unknown, not smaller', () => {
    expect(concentration(seen(5n, [50n, null])).hhi).toMatchObject({ value: null, status: 'insufficient' });
    expect(concentration(momentOf(new VaultLog())).hhi.reason).toBe('nothing has been observed yet');
  });

  test('behavior: idle assets are a bucket of their own, last, and shares sum to one', () => {
    const moment = seen(5n, [50n, 30n, 15n]);
    const buckets = bucketsOf(moment.history.observations[0] as never, moment.history.identity.strategy);
    expect(buckets.map(({ kind }) => kind)).toEqual(['source', 'source', 'source', 'idle']);
    expect(buckets.reduce((total, { share }) => total + (share ?? 0), 0)).toBeCloseTo(1, 12);
  });
});
