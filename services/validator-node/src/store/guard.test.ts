import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Address, Hex } from 'viem';
import { strategyKey } from '../ports.ts';
import { type Judgement, judge, type SignedSoFar, type SignRequest, strictest } from './guard.ts';
import { readGuardFile, writeGuardFile } from './guard-file.ts';

const digest: Hex = `0x${'11'.repeat(32)}`;
const other: Hex = `0x${'22'.repeat(32)}`;
const strategy: Address = '0x00000000000000000000000000000000000000AA';
const key = strategyKey(1, strategy);
const signed: SignedSoFar = {
  rounds: { [digest]: { epoch: 3, round: 2 } },
  entries: { [key]: { nonce: 5n, timestamp: 100n } },
};

const request = (
  more: Partial<SignRequest> & { nonce?: bigint; timestamp?: bigint; canonical?: bigint } = {},
): SignRequest => ({
  digest,
  epoch: 3,
  round: 3,
  entries: [{ chainId: 1, strategy, nonce: more.nonce ?? 6n, timestamp: more.timestamp ?? 101n }],
  canonicalNonces: new Map(more.canonical === undefined ? [] : [[key, more.canonical]]),
  ...more,
});

describe('what may be signed', () => {
  test.each([
    ['the next round', request()],
    ['a later epoch', request({ epoch: 4, round: 1 })],
    ['the same nonce, later', request({ nonce: 5n })],
    ['a lower nonce the chain went back to, later', request({ nonce: 4n, canonical: 4n })],
    ['a round of another configuration', request({ digest: other, epoch: 1, round: 1 })],
  ])('behavior: %s', (_, asked) => {
    const { after } = judge(signed, asked) as Judgement;
    expect(after.rounds[asked.digest]).toEqual({ epoch: asked.epoch, round: asked.round });
    expect(after.entries[key]?.nonce).toBe(asked.entries[0]?.nonce);
  });
});

describe('what is refused', () => {
  test.each([
    ['round_not_above', request({ round: 2 })],
    ['round_not_above', request({ round: 1 })],
    ['round_not_above', request({ epoch: 2, round: 9 })],
    ['nonce_not_above', request({ nonce: 4n })],
    ['nonce_not_above', request({ nonce: 4n, canonical: 5n })],
    ['nonce_not_above', request({ nonce: 4n, canonical: 3n })],
    ['timestamp_not_above', request({ nonce: 5n, timestamp: 100n })],
    ['timestamp_not_above', request({ nonce: 5n, timestamp: 99n })],
    ['timestamp_not_above', request({ nonce: 6n, timestamp: 100n })],
    ['timestamp_not_above', request({ nonce: 4n, canonical: 4n, timestamp: 100n })],
    // A price signature names no configuration: a new one does not free the nonce.
    ['timestamp_not_above', request({ digest: other, nonce: 5n, timestamp: 100n })],
  ])('error: %s %#', (refusal, asked) => {
    expect(judge(signed, asked)).toBe(refusal);
  });

  test('behavior: one entry of many is refused alone, and not recorded', () => {
    const fresh = { chainId: 1, strategy: `0x${'bb'.repeat(20)}` as Address, nonce: 0n, timestamp: 1n };
    const [old] = request({ nonce: 5n, timestamp: 100n }).entries;
    const { refusals, after } = judge(signed, request({ entries: [fresh, old as never] })) as Judgement;
    expect(refusals).toEqual([null, 'timestamp_not_above']);
    expect(after.entries).toEqual({
      ...signed.entries,
      [strategyKey(1, fresh.strategy)]: { nonce: 0n, timestamp: 1n },
    });
  });

  test('error: a strategy twice in one report, in whatever case it is written', () => {
    const lower = strategy.toLowerCase() as Address;
    const twice = [strategy, lower].map((each) => ({ chainId: 1, strategy: each, nonce: 6n, timestamp: 101n }));
    expect(judge(signed, request({ entries: twice }))).toMatchObject({ refusals: [null, 'timestamp_not_above'] });
  });
});

test('behavior: whatever is asked, no two reports get the same round, and no price the same nonce and time', () => {
  const asked = fc.record({
    epoch: fc.integer({ min: 1, max: 3 }),
    round: fc.integer({ min: 1, max: 3 }),
    nonce: fc.bigInt({ min: 0n, max: 3n }),
    timestamp: fc.bigInt({ min: 0n, max: 4n }),
    canonical: fc.bigInt({ min: 0n, max: 3n }),
  });
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 40 }), (sequence) => {
      let state: SignedSoFar = { rounds: {}, entries: {} };
      const seen = new Set<string>();
      for (const each of sequence) {
        const judged = judge(state, request(each));
        if (typeof judged === 'string') continue;
        state = judged.after;
        for (const mark of [`r${each.epoch}:${each.round}`, `p${each.nonce}:${each.timestamp}`]) {
          expect(seen).not.toContain(mark);
          seen.add(mark);
        }
      }
    }),
    runs(500),
  );
});

describe('moving a guard', () => {
  test('behavior: an import only raises', () => {
    const lower: SignedSoFar = {
      rounds: { [digest]: { epoch: 3, round: 1 } },
      entries: { [key]: { nonce: 9n, timestamp: 50n } },
    };
    const both = strictest(signed, lower);
    expect(both).toEqual({ rounds: signed.rounds, entries: { [key]: { nonce: 9n, timestamp: 100n } } });
    expect(strictest(lower, signed)).toEqual(both);
    expect(strictest({ rounds: {}, entries: {} }, signed)).toEqual(signed);
  });

  test('behavior: the file holds all, and only that of its signer', () => {
    const text = writeGuardFile(strategy, signed);
    expect(readGuardFile(text, strategy)).toEqual(signed);
    expect(() => readGuardFile(text, `0x${'bb'.repeat(20)}`)).toThrow(/is the sign guard of/);
    for (const damaged of ['', '{}', text.replace('"5"', '"-5"'), text.replace('"version": 1', '"version": 2')])
      expect(() => readGuardFile(damaged, strategy)).toThrow();
  });

  test('behavior: a signer that has yet to wait out an epoch has to after a move too', () => {
    const recovering: SignedSoFar = { ...signed, recovering: true };
    const text = writeGuardFile(strategy, recovering);
    expect(readGuardFile(text, strategy)).toEqual(recovering);
    for (const [one, two] of [
      [signed, recovering],
      [recovering, signed],
      [{ rounds: {}, entries: {} }, recovering],
    ] as const)
      expect(judge(strictest(one, two), request({ epoch: 99, round: 1 }))).toBe('recovering');
    // A program that knows nothing of it must refuse the file rather than sign at once.
    expect(JSON.parse(text)).toMatchObject({ version: 2, recovering: true });
    expect(JSON.parse(writeGuardFile(strategy, signed))).toMatchObject({ version: 1 });
  });
});
