import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Aimed, assetsAt, effectOf, isBeyond } from '../src/index.ts';

const aimed = (address: string, assets: bigint | null, targetBps: number | null): Aimed => ({
  address,
  assets,
  targetBps,
});

describe('what meeting the targets would move', () => {
  test('default: from what holds too much, and from idle, to what holds too little', () => {
    const effect = effectOf({ idle: 500n, total: 1_000n, sources: [aimed('a', 400n, 1_000), aimed('b', 100n, 7_000)] });
    expect(effect).toEqual({
      moves: [
        { address: 'a', moved: -300n, after: 100n },
        { address: 'b', moved: 600n, after: 700n },
      ],
      idleMoved: -300n,
      idleAfter: 200n,
      missing: 0n,
    });
  });

  test('behavior: what has no target, or cannot be read, stays, and others share what is left', () => {
    const sources = [aimed('a', 600n, null), aimed('b', null, 5_000), aimed('c', 0n, 6_000), aimed('d', 0n, 4_000)];
    const { moves, idleAfter, missing } = effectOf({ idle: 400n, sources, total: 1_000n });
    expect(moves.map(({ moved }) => moved)).toEqual([0n, 0n, 240n, 160n]);
    expect([idleAfter, missing]).toEqual([0n, 600n]);
    expect(moves[1]?.after).toBeNull();
  });

  test('behavior: targets are shares of all assets that are given, whatever is where', () => {
    const { moves, missing } = effectOf({ idle: 100n, total: 2_000n, sources: [aimed('a', 900n, 6_000)] });
    expect([moves[0]?.moved, missing]).toEqual([100n, 200n]);
  });

  const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
  const source = fc.record({
    address: fc.string(),
    assets: fc.option(amount),
    targetBps: fc.option(fc.integer({ min: 0, max: 10_000 })),
  });

  test('property: assets are neither made nor lost, and nothing goes below zero', () => {
    fc.assert(
      fc.property(amount, amount, fc.array(source, { maxLength: 12 }), (idle, total, sources) => {
        const effect = effectOf({ idle, sources, total });
        const moved = effect.moves.reduce((total, move) => total + move.moved, 0n);
        expect(moved + effect.idleMoved).toBe(0n);
        expect(effect.idleAfter >= 0n).toBe(true);
        for (const { after } of effect.moves) expect(after === null || after >= 0n).toBe(true);
      }),
    );
  });

  test('property: targets that come to the whole at most are met to the unit', () => {
    const shares = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(amount, shares, amount, (idle, targets, held) => {
        const sources = targets.map((bps, index) => aimed(`${index}`, held, bps));
        const total = idle + held * BigInt(targets.length);
        const { moves, missing } = effectOf({ idle, sources, total });
        expect(missing).toBe(0n);
        expect(moves.map(({ after }) => after)).toEqual(targets.map((bps) => assetsAt(total, bps)));
      }),
    );
  });
});

test('boundary: a cap is held to the last unit', () => {
  expect(isBeyond(450n, 1_000n, 4_500)).toBe(false);
  expect(isBeyond(451n, 1_000n, 4_500)).toBe(true);
  expect(isBeyond(0n, 0n, 0)).toBe(false);
});
