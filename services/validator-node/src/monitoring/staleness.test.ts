import { describe, expect, test } from '@jest/globals';
import { Staleness } from './staleness.ts';

const strategy = `0x${'ab'.repeat(20)}` as const;
const start = 1_790_000_000;

/** A strategy that is watched from `start` on, with an interval of 90 s. */
function watching() {
  let seconds = start;
  const staleness = new Staleness({ now: () => seconds * 1000, intervalMs: 90_000 });
  staleness.watch(1, [strategy]);
  return {
    /** @param headSeconds - Of the chain, whose clock is the local one unless given. */
    hear: (blockSeconds: number, headSeconds = seconds) => staleness.heard(1, strategy, blockSeconds, headSeconds),
    staleAt: (at: number) => {
      seconds = at;
      return staleness.list()[0]?.isStale;
    },
  };
}

describe('staleness', () => {
  test('default: counted from the block time of the newest update, and at the earliest from the start', () => {
    const { hear, staleAt } = watching();
    expect([staleAt(start + 90), staleAt(start + 91)]).toEqual([false, true]);
    hear(start + 80);
    expect([staleAt(start + 170), staleAt(start + 171)]).toEqual([false, true]);
  });

  test('behavior: an update of a chain whose clock runs ahead, repeated again and again, grows old all the same', () => {
    const { hear, staleAt } = watching();
    hear(start + 1_800);
    for (let at = start; at <= start + 90; at += 10) {
      expect(staleAt(at)).toBe(false);
      hear(start + 1_800);
    }
    expect(staleAt(start + 91)).toBe(true);
    hear(start + 1_860);
    expect(staleAt(start + 91)).toBe(false);
  });

  test('behavior: an update of a chain whose clock is behind is as old as that clock says', () => {
    const { hear, staleAt } = watching();
    staleAt(start + 500);
    hear(start - 3_600, start - 3_590);
    expect([staleAt(start + 580), staleAt(start + 581)]).toEqual([false, true]);
  });
});
