import type { VaultState } from '@castellan/chain';
import { describe, expect, test } from '@jest/globals';
import type { Fact } from '../domain/facts.ts';
import { initialTerms } from '../domain/initial-terms.ts';
import { observationOf } from '../domain/observation.ts';
import { withState } from './facts-with-state.ts';

const manager = '0x00000000000000000000000000000000000000A1';

const aState = (block: bigint, performanceFeeBps: bigint) =>
  ({
    blockNumber: block,
    blockTimestamp: block * 2n,
    pps: 1_000_000n,
    hwm: 1_000_000n,
    precision: 1_000_000n,
    lastUpdateTimestamp: 1n,
    idleAssets: 7n,
    totalSupply: 10n,
    asset: { decimals: 6 },
    sources: [{ address: manager, assets: 3n, shares: 3n, available: null, pricePerShare: 1n }],
    price: { answer: 100n, decimals: 8, updatedAt: 1n },
    fees: { performanceFeeBps, managementFeeBps: 0n, recipient: manager },
    primaryManager: manager,
    secondaryManagers: [],
    upkeep: { enabled: true, balance: 5n, costPerUpdate: null },
    deviationThreshold: 0n,
    ppsExpiration: 1n,
    maxStaleness: 1n,
    minUpdateInterval: 1n,
    isPaused: false,
    isPpsStale: false,
  }) as unknown as VaultState;

const aLog = (block: number, name: string): Fact => ({
  seq: block,
  block,
  time: block * 2,
  tx: '0x1',
  index: 0,
  contract: 'strategy',
  name,
  args: {},
});

/** A node that has the state of some blocks. */
const node = (states: Record<number, VaultState>) => (block: bigint) => Promise.resolve(states[Number(block)]);
const names = (facts: readonly Fact[]) => facts.map(({ block, name }) => `${block} ${name}`);

describe('what no log holds', () => {
  test('default: the state of the observed block stands behind its logs', async () => {
    const logs = [aLog(2, 'DepositHandled'), aLog(5, 'DepositHandled'), aLog(6, 'DepositHandled')];
    const result = await withState(logs, node({ 5: aState(5n, 1500n) }), { created: 2, head: 9n, observedAt: 5 });
    expect(result).toMatchObject({ stateMissing: null, termsMissing: null });
    expect(names(result.facts)).toEqual([
      '2 DepositHandled',
      '5 DepositHandled',
      '5 state_observed',
      '6 DepositHandled',
    ]);
    expect(observationOf(result.facts[2] as Fact)).toMatchObject({
      calculatedPps: 1_000_000n,
      idle: 7n,
      sources: [{ assets: 3n, available: null }],
      price: { answer: 100n },
      performanceFeeBps: 1500n,
      primaryManager: manager.toLowerCase(),
    });
  });

  test('behavior: without that state the last one still shows the first terms', async () => {
    const result = await withState([aLog(2, 'DepositHandled')], node({ 9: aState(9n, 1500n) }), {
      created: 2,
      head: 9n,
      observedAt: 5,
    });
    expect(result.stateMissing).toMatch(/state of block 5, which the node no longer has/);
    expect(initialTerms(result.facts)?.performanceFeeBps).toBe(1500n);
  });

  test('behavior: a fee that was changed since is read at the creation, without a price that nobody observed', async () => {
    const logs = [aLog(2, 'DepositHandled'), aLog(4, 'VaultFeeConfigUpdated')];
    const states = { 2: aState(2n, 1000n), 5: aState(5n, 1500n) };
    const result = await withState(logs, node(states), { created: 2, head: 9n, observedAt: 5 });
    expect(result.termsMissing).toBeNull();
    expect(initialTerms(result.facts)?.performanceFeeBps).toBe(1000n);
    expect(observationOf(result.facts[1] as Fact).price).toBeNull();
  });

  test('behavior: a fee that was changed since and a pruned node: it is said', async () => {
    const logs = [aLog(2, 'DepositHandled'), aLog(4, 'VaultFeeConfigUpdated')];
    const result = await withState(logs, node({ 5: aState(5n, 1500n) }), { created: 2, head: 9n, observedAt: 5 });
    expect(result).toMatchObject({ stateMissing: null, termsMissing: expect.stringMatching(/block 2 only/) });
  });

  test('error: a node without any state of the vault', async () => {
    await expect(withState([], node({}), { created: 2, head: 9n, observedAt: 5 })).rejects.toThrow(/gives no state/);
  });
});
