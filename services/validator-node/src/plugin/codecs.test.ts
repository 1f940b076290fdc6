import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Address, bytesToHex, type Hex, keccak256, pad, toHex } from 'viem';
import { CodecError } from './bytes.ts';
import {
  decodeObservation,
  encodeObservation,
  entriesPerObservation,
  observationBytes,
  observedPrices,
  type PriceEntry,
} from './observation.ts';
import { aChain, anEntry, strategyAt } from './pure.fixture.ts';
import { decodeReport, encodeReport, reportBytes } from './report.ts';

const big = (bits: number, min = 0n) => fc.bigInt({ min, max: (1n << BigInt(bits)) - 1n });
const anyEntry = fc.record<PriceEntry>({
  strategy: big(160, 1n).map((value) => pad(toHex(value), { size: 20 }) as Address),
  pps: big(128, 1n),
  nonce: big(64),
  lastPps: big(128),
  lastUpdate: big(64),
  lastUnpause: big(64),
  minInterval: big(64),
  deviationThreshold: big(256),
  paused: fc.boolean(),
  stale: fc.boolean(),
  upkeepShort: fc.boolean(),
});
const sorted = <T extends { strategy: Address }>(entries: T[]): T[] =>
  entries.sort((a, b) => (BigInt(a.strategy) < BigInt(b.strategy) ? -1 : 1));
const anyChain = fc.record({
  chainId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  blockNumber: big(64),
  blockHash: big(256).map((value) => pad(toHex(value), { size: 32 })),
  timestamp: big(64, 1n),
  entries: fc.uniqueArray(anyEntry, { minLength: 1, maxLength: 5, selector: ({ strategy }) => strategy }).map(sorted),
});
const anyObservation = fc
  .uniqueArray(anyChain, { maxLength: 4, selector: ({ chainId }) => chainId })
  .map((chains) => chains.sort((a, b) => a.chainId - b.chainId));
const anyReport = fc
  .uniqueArray(
    fc.record({
      chainId: fc.integer({ min: 1, max: 3 }),
      strategy: big(160, 1n).map((value) => pad(toHex(value), { size: 20 }) as Address),
      pps: big(128, 1n),
      nonce: big(64),
      timestamp: big(64, 1n),
    }),
    { minLength: 1, maxLength: 6, selector: ({ chainId, strategy }) => `${chainId}${strategy}` },
  )
  .map((entries) => sorted(entries).sort((a, b) => a.chainId - b.chainId));

/** Every one of a few bytes replaced, the end cut off, or something added. */
const mutated = (bytes: Uint8Array) =>
  fc.oneof(
    fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }).map((changes) => {
      const out = bytes.slice();
      for (const [at, value] of changes) out[at] = value;
      return out;
    }),
    fc.nat(bytes.length - 1).map((length) => bytes.slice(0, length)),
    fc.uint8Array({ minLength: 1, maxLength: 9 }).map((tail) => new Uint8Array([...bytes, ...tail])),
  );

function codecTests<T>(
  name: string,
  any: fc.Arbitrary<T>,
  encode: (value: T) => Uint8Array,
  decode: (bytes: Uint8Array) => T,
): void {
  describe(`the codec of ${name}`, () => {
    test('behavior: what is encoded is decoded again', () => {
      fc.assert(
        fc.property(any, (value) => expect(decode(encode(value))).toEqual(value)),
        runs(500),
      );
    });

    test('behavior: mutated bytes are refused with the typed error, or are the one encoding of another', () => {
      const cases = any.chain((value) => mutated(encode(value)));
      fc.assert(
        fc.property(cases, (bytes) => {
          try {
            expect(bytesToHex(encode(decode(bytes)))).toBe(bytesToHex(bytes));
          } catch (error) {
            expect(error).toBeInstanceOf(CodecError);
          }
        }),
        runs(2500),
      );
    });

    test('error: any bytes at all throw nothing but the typed error', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
          try {
            decode(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(CodecError);
          }
        }),
        runs(500),
      );
    });
  });
}
codecTests('an observation', anyObservation, encodeObservation, decodeObservation);
codecTests('a report', anyReport, encodeReport, decodeReport);

test('behavior: the bytes of one observation and of one report are these for ever', () => {
  const hash = (bytes: Uint8Array): Hex => keccak256(bytes);
  expect(hash(encodeObservation([aChain([anEntry()])]))).toBe(
    '0xcabca245238eca4f5c4c83022276793d57a223508cc71ec5e6d48fcdc360ad5b',
  );
  const entry = { chainId: 31_337, strategy: strategyAt(1), pps: 7n, nonce: 5n, timestamp: 1_120n };
  expect(bytesToHex(encodeReport([entry]))).toBe(
    `0x010001${'0000000000007a69'}${strategyAt(1).slice(2)}${'07'.padStart(32, '0')}${'05'.padStart(16, '0')}${'0460'.padStart(16, '0')}`,
  );
});

describe('error: the observation is refused', () => {
  const two = [anEntry(), anEntry({ strategy: strategyAt(2) })] as const;
  test.each([
    ['a strategy twice', [aChain([two[0], two[0]])]],
    ['strategies out of order', [aChain([two[1], two[0]])]],
    ['chains out of order', [aChain([two[0]], { chainId: 2 }), aChain([two[0]], { chainId: 1 })]],
    ['a chain twice', [aChain([two[0]]), aChain([two[1]])]],
    ['a chain without entries', [aChain([])]],
    ['no time', [aChain([two[0]], { timestamp: 0n })]],
    ['a price of zero', [aChain([anEntry({ pps: 0n })])]],
    ['a price at the cap', [aChain([anEntry({ pps: 1n << 128n })])]],
    [
      'more than 300 entries',
      [aChain(Array.from({ length: 301 }, (_, i) => anEntry({ strategy: strategyAt(i + 1) })))],
    ],
  ])('%s', (_name, chains) => {
    expect(() => encodeObservation(chains)).toThrow(CodecError);
  });

  test('a price of zero that a peer wrote', () => {
    const bytes = encodeObservation([aChain([anEntry()])]);
    bytes.fill(0, 2 + 58 + 20, 2 + 58 + 36);
    expect(() => decodeObservation(bytes)).toThrow(`${strategyAt(1)}: zero_pps`);
  });
});

test('behavior: observations of all oracles fit into one message of a broker', () => {
  for (let oracles = 1; oracles <= 31; oracles += 1) {
    const entries = entriesPerObservation(oracles);
    expect(entries).toBeGreaterThanOrEqual(200);
    expect(oracles * observationBytes(entries)).toBeLessThan(1_000_000);
    expect(reportBytes(entries)).toBeLessThan(20_000);
  }
});

test('behavior: what each observer read is listed by strategy, and bytes that are no observation say nothing', () => {
  const seen = (pps: bigint) => encodeObservation([aChain([anEntry({ strategy: strategyAt(1), pps })])]);
  const prices = observedPrices([
    { observer: 0, observation: seen(5n) },
    { observer: 1, observation: Uint8Array.of(9, 9) },
    { observer: 2, observation: seen(7n) },
  ]);
  expect([...prices.values()]).toEqual([
    [
      { observer: 0, pps: 5n },
      { observer: 2, pps: 7n },
    ],
  ]);
});
