import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aggregate, median, namedBy } from './aggregate.ts';
import type { PriceEntry } from './observation.ts';
import { deviationPpb } from './price-due.ts';
import { aChain, anEntry, somePricing, someRules, strategyAt } from './pure.fixture.ts';

/** What the report says when these are the entries of the oracles for one strategy. */
const from = (entries: readonly Partial<PriceEntry>[], rules = someRules) =>
  aggregate(
    rules,
    entries.map((entry) => [aChain([anEntry(entry)])]),
  );
const reasons = (entries: readonly Partial<PriceEntry>[]) => from(entries).leftOut.map(({ reason }) => reason);
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

describe('the median', () => {
  test('behavior: with f liars among 2f+1 or more it stays between honest values, whatever the liars say', () => {
    const price = fc.bigInt({ min: 1n, max: (1n << 128n) - 1n });
    const votes = fc
      .integer({ min: 0, max: 5 })
      .chain((f) =>
        fc.tuple(
          fc.array(price, { minLength: f + 1, maxLength: 3 * f + 2 }),
          fc.array(price, { minLength: 0, maxLength: f }),
          fc.constant(f),
        ),
      )
      .filter(([honest, lies, f]) => honest.length + lies.length >= 2 * f + 1);
    fc.assert(
      fc.property(votes, ([honest, lies, f]) => {
        const { entries } = from(
          [...honest, ...lies].map((pps) => ({ pps })),
          { f, pricing: somePricing },
        );
        const low = honest.reduce((a, b) => (a < b ? a : b));
        const high = honest.reduce((a, b) => (a > b ? a : b));
        const pps = entries[0]?.pps ?? 0n;
        expect([pps >= low, pps <= high]).toEqual([true, true]);
      }),
      runs(1500),
    );
  });

  test('default: rank floor(m/2) of the sorted values', () => {
    expect([median([3n, 1n, 2n]), median([4n, 1n, 3n, 2n]), median([7n])]).toEqual([2n, 3n, 7n]);
  });
});

test('behavior: the report is the same for every order of the observations', () => {
  const entry = fc.record({
    pps: fc.bigInt({ min: 1n, max: 2_000_000n }),
    nonce: fc.bigInt({ min: 4n, max: 6n }),
    lastUpdate: fc.bigInt({ min: 900n, max: 1_110n }),
    paused: fc.boolean(),
    upkeepShort: fc.boolean(),
  });
  const observation = fc
    .tuple(fc.array(entry, { minLength: 1, maxLength: 3 }), fc.bigInt({ min: 1_100n, max: 1_140n }))
    .map(([entries, timestamp]) => [
      aChain(
        entries.map((each, index) => anEntry({ ...each, strategy: strategyAt(index + 1) })),
        { timestamp },
      ),
    ]);
  const shuffled = fc
    .array(observation, { minLength: 3, maxLength: 7 })
    .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
  fc.assert(
    fc.property(shuffled, ([all, other]) => {
      expect(aggregate(someRules, other).entries).toEqual(aggregate(someRules, all).entries);
    }),
    runs(500),
  );
});

describe('a strategy of a report', () => {
  test('default: median price and time, and the nonce that f+1 name', () => {
    const chains = [10n, 30n, 20n].map((pps, index) => [
      aChain([anEntry({ pps, nonce: index === 2 ? 9n : 5n })], { timestamp: 1_120n + BigInt(index) }),
    ]);
    expect(aggregate(someRules, chains)).toEqual({
      entries: [{ chainId: 31_337, strategy: strategyAt(1), pps: 20n, nonce: 5n, timestamp: 1_121n }],
      leftOut: [],
    });
  });

  test('behavior: fewer than 2f+1 entries drop it, and only it', () => {
    const both = [aChain([anEntry(), anEntry({ strategy: strategyAt(2) })])];
    const { entries, leftOut } = aggregate(someRules, [both, both, [aChain([anEntry()])]]);
    expect(entries.map(({ strategy }) => strategy)).toEqual([strategyAt(1)]);
    expect(leftOut).toEqual([{ chainId: 31_337, strategy: strategyAt(2), reason: 'insufficient', observers: 2 }]);
  });

  test('behavior: no nonce that f+1 name drops it; of two that are named the larger counts', () => {
    expect(reasons([{ nonce: 1n }, { nonce: 2n }, { nonce: 3n }])).toEqual(['no_nonce']);
    expect(from([{ nonce: 1n }, { nonce: 1n }, { nonce: 2n }, { nonce: 2n }]).entries[0]?.nonce).toBe(2n);
    expect(namedBy([9n, 1n, 1n], 2)).toBe(1n);
  });

  test('behavior: f+1 that call it paused or short of upkeep hold it; f cannot', () => {
    expect(reasons([{ paused: true }, { paused: true }, {}])).toEqual(['paused']);
    expect(reasons([{ upkeepShort: true }, { upkeepShort: true }, {}])).toEqual(['upkeep']);
    expect(reasons([{ paused: true, upkeepShort: true }, {}, {}])).toEqual([]);
  });

  test('behavior: one liar cannot make it due, delay it, or move its nonce', () => {
    expect(reasons([{ lastUpdate: 0n }, ...times(3, { lastUpdate: 1_100n })])).toEqual(['not_due']);
    expect(reasons([{ minInterval: 1n << 63n, lastUnpause: 9_999n, nonce: 77n }, {}, {}])).toEqual([]);
    expect(from([{ nonce: 77n }, {}, {}]).entries[0]?.nonce).toBe(5n);
  });

  test.each([
    ['younger than the least interval', { lastUpdate: 1_061n, lastPps: 1n }],
    ['young, and moved by less than alpha', { lastUpdate: 1_060n, minInterval: 10n, pps: 1_000_999n }, 61],
    ['of a time before the last update', { lastUpdate: 1_120n, minInterval: 0n, lastPps: 1n }],
    ['of a time before the last unpause', { lastUnpause: 1_120n }],
  ])('behavior: not due: %s', (_name, entry, heartbeatSeconds = 60) => {
    const rules = { f: 1, pricing: { ...somePricing, heartbeatSeconds } };
    expect(from(times(3, entry), rules).leftOut.map(({ reason }) => reason)).toEqual(['not_due']);
  });

  test.each([
    ['the heartbeat is reached', { lastUpdate: 1_060n }],
    ['it moved by alpha', { lastUpdate: 1_060n, pps: 1_001_000n }, 61],
    ['it fell by alpha', { lastUpdate: 1_060n, pps: 999_000n }, 61],
    ['no price was ever stored', { lastUpdate: 0n, lastPps: 0n }, 9_999],
    ['the stored price is called stale', { lastUpdate: 1_060n, stale: true }, 9_999],
  ])('behavior: due: %s', (_name, entry, heartbeatSeconds = 60) => {
    const rules = { f: 1, pricing: { ...somePricing, heartbeatSeconds } };
    expect(from(times(3, entry), rules).entries).toHaveLength(1);
  });

  test('behavior: of more than fit, those longest without a price are taken, and stand in order', () => {
    const chain = aChain(
      Array.from({ length: 300 }, (_, index) => anEntry({ strategy: strategyAt(index + 1), lastUpdate: 1_000n })),
    );
    const other = aChain([anEntry({ strategy: strategyAt(7), lastUpdate: 999n })], { chainId: 40_000 });
    const { entries } = aggregate(someRules, times(3, [chain, other]));
    expect([entries.length, entries.at(-1)?.chainId]).toEqual([300, 40_000]);
    expect(entries.some(({ strategy }) => strategy === strategyAt(300))).toBe(false);
  });
});

test('behavior: deviation is rounded up, so that a breach never looks like none', () => {
  expect([deviationPpb(1_001n, 1_000n), deviationPpb(999n, 1_000n), deviationPpb(5n, 5n)]).toEqual([
    1_000_000n,
    1_000_000n,
    0n,
  ]);
  expect(deviationPpb(10n ** 18n + 1n, 10n ** 18n)).toBe(1n);
});
