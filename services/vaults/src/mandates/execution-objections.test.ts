import { MandateDocument } from '@castellan/contracts';
import { anAddress } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import { type Execution, objectionsToExecution } from './execution-objections.ts';

const first = anAddress(0x31);
const second = anAddress(0x32);
const hook = anAddress(0x41);
type Promised = Record<string, unknown>;
const mandate = (...promises: Promised[]) =>
  MandateDocument.parse({
    format: 1,
    title: 'Strict',
    promises: promises.map((promise, index) => ({ id: `p-${index}`, on_breach: 'refuse', ...promise })),
  });
const sourceAt = (address: string, amount: string | null) => ({
  address: address.toLowerCase(),
  amount,
  shares: null,
  pps: null,
  available: null,
  apy: null,
  tvl: null,
});
/** 1 000 of assets: 300 in the first source, 200 in the second, 500 idle. */
const facts = { free: '500', tvl: '1000', sources: [sourceAt(first, '300'), sourceAt(second, '200')] };
const deposit = (assets: bigint, more: Partial<Execution> = {}): Execution => ({
  into: first,
  outOf: null,
  assets,
  hooks: [hook],
  facts,
  ...more,
});
const broken = (promise: Promised, execution: Execution) =>
  objectionsToExecution(mandate(promise), execution).length > 0;

describe('a deposit into a source', () => {
  test.each([
    ['source_share of any source', { kind: 'source_share', at_most_bps: 4_000 }, 100n],
    ['source_share of this one', { kind: 'source_share', source: first, at_most_bps: 4_000 }, 100n],
    [
      'layer_share',
      { kind: 'layer_share', layer: 'protocol', name: 'One', sources: [first, second], at_most_bps: 6_000 },
      100n,
    ],
    ['idle_share', { kind: 'idle_share', at_least_bps: 4_000 }, 100n],
  ])('boundary: %s is held to the last unit', (_name, promise, most) => {
    expect(broken(promise, deposit(most))).toBe(false);
    expect(broken(promise, deposit(most + 1n))).toBe(true);
  });

  test.each([
    ['the sources lost a unit that the price does not show yet', { ...facts, free: '499' }],
    ['the price is below what is there', { ...facts, tvl: '999' }],
  ])('boundary: shares are taken of the lesser total where %s', (_name, seen) => {
    const cap = { kind: 'source_share', source: first, at_most_bps: 4_000 };
    expect(broken(cap, deposit(99n, { facts: seen }))).toBe(false);
    expect(broken(cap, deposit(100n, { facts: seen }))).toBe(true);
  });

  test('boundary: what stays idle is taken of the larger total', () => {
    const idle = { kind: 'idle_share', at_least_bps: 4_000 };
    expect(broken(idle, deposit(100n, { facts: { ...facts, tvl: '999' } }))).toBe(false);
    expect(broken(idle, deposit(100n, { facts: { ...facts, tvl: '1001' } }))).toBe(true);
  });

  test('default: says what would hold how much, and whether it refuses', () => {
    const warned = mandate({ kind: 'source_share', at_most_bps: 4_000, on_breach: 'warn' });
    expect(objectionsToExecution(warned, deposit(150n))).toEqual([
      {
        promise_id: 'p-0',
        refuses: false,
        detail: `${first} would hold 45.00 % of the assets; the mandate promises at most 40.00 %.`,
      },
    ]);
  });

  test('behavior: promises about other sources, people and prices are not broken by it', () => {
    const others = [
      { kind: 'source_share', source: second, at_most_bps: 0 },
      { kind: 'layer_share', layer: 'oracle', name: 'Two', sources: [second], at_most_bps: 0 },
      { kind: 'performance_fee', at_most_bps: 0 },
      { kind: 'price_age', at_most_seconds: 1 },
      { kind: 'managers', role: 'secondary_manager', allowed: [] },
    ];
    expect(objectionsToExecution(mandate(...others), deposit(500n))).toEqual([]);
  });

  test('behavior: what cannot be valued, and an empty vault, are not judged', () => {
    const promise = { kind: 'source_share', at_most_bps: 0 };
    const unvalued = { ...facts, sources: [sourceAt(first, null)] };
    expect(broken(promise, deposit(1n, { facts: unvalued }))).toBe(false);
    expect(broken(promise, deposit(1n, { facts: { free: '0', tvl: '0', sources: [] } }))).toBe(false);
  });
});

const ways = {
  'a deposit': {},
  'a withdrawal': { into: null, outOf: first },
  'a rebalance': { outOf: second },
};

test.each(Object.entries(ways))('security: a hook that the mandate does not allow, in %s', (_name, way) => {
  const promise = { kind: 'hooks', allowed: [hook] };
  expect(broken(promise, deposit(1n, way))).toBe(false);
  expect(broken(promise, deposit(1n, { ...way, hooks: [hook.toLowerCase()] }))).toBe(false);
  expect(broken(promise, deposit(1n, { ...way, hooks: [hook, second] }))).toBe(true);
});

test('behavior: assets that leave a source break no limit of shares', () => {
  const strict = mandate({ kind: 'source_share', at_most_bps: 0 }, { kind: 'idle_share', at_least_bps: 10_000 });
  expect(objectionsToExecution(strict, deposit(100n, ways['a withdrawal']))).toEqual([]);
});

describe('a rebalance from one source into another', () => {
  const layer = (...sources: string[]) => ({ kind: 'layer_share', layer: 'protocol', name: 'One', sources });

  test.each([
    ['source_share of any source', { kind: 'source_share', at_most_bps: 4_000 }],
    ['source_share of the one that gets it', { kind: 'source_share', source: first, at_most_bps: 4_000 }],
    ['layer_share of the one that gets it', { ...layer(first), at_most_bps: 4_000 }],
  ])('boundary: %s is held to the last unit', (_name, promise) => {
    expect(broken(promise, deposit(100n, ways['a rebalance']))).toBe(false);
    expect(broken(promise, deposit(101n, ways['a rebalance']))).toBe(true);
  });

  test('behavior: idle assets, the source that gives and a layer that holds both have no larger share by it', () => {
    const others = mandate(
      { kind: 'idle_share', at_least_bps: 10_000 },
      { kind: 'source_share', source: second, at_most_bps: 0 },
      { ...layer(first, second), at_most_bps: 0 },
      { ...layer(second), at_most_bps: 0 },
    );
    expect(objectionsToExecution(others, deposit(200n, ways['a rebalance']))).toEqual([]);
  });
});
