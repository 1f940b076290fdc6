import { GetPps } from '@castellan/contracts';
import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CHAIN, DAY, HOUR, START, wallet } from './chain-log.fixture.ts';
import { bucketStarts, bucketWidth, rangeOf, windowStart } from './range.ts';
import { isoOf } from './timeline.ts';

const now = START + 100 * DAY;
const range = (asked: Parameters<typeof rangeOf>[0]) => rangeOf(asked, { time: now }, START);

describe('the range that was asked for', () => {
  test.each([
    [{}, '30d', now - 30 * DAY],
    [{ period: '24h' }, '24h', now - DAY],
    [{ period: '1y' }, '1y', now - 365 * DAY],
    [{ period: 'all' }, 'all', START],
    [{ from: isoOf(START + DAY) }, null, START + DAY],
  ] as const)('default: %j', (asked, period, from) => {
    expect(range(asked)).toEqual({ period, from, to: now });
  });

  test('behavior: the window of the whole life has the second of the creation in it, any other begins after its from', () => {
    expect(windowStart(range({ period: 'all' }))).toBe(START - 1);
    expect(windowStart(range({ from: isoOf(START) }))).toBe(START);
    expect(windowStart(range({ period: '7d' }))).toBe(now - 7 * DAY);
  });

  test.each([
    ['BLOCK_IN_FUTURE', { from: isoOf(START), to: isoOf(now + 1) }],
    ['BEFORE_CREATION', { from: isoOf(START - DAY), to: isoOf(START) }],
    ['RANGE_REVERSED', { from: isoOf(START + 2 * DAY), to: isoOf(START + DAY) }],
    ['RANGE_REVERSED', { from: isoOf(now + DAY) }],
  ])('error: %s for %j', (code, asked) => {
    expect(() => range(asked)).toThrow(expect.objectContaining({ code }) as unknown as Error);
  });

  test.each([
    [{ period: '13d' }],
    [{ period: '7d', from: isoOf(START) }],
    [{ to: isoOf(now) }],
    [{ from: isoOf(now), to: isoOf(START) }],
    [{ points: 1_000_000_000 }],
    [{ points: 1 }],
    [{ at: isoOf(now), block: 3 }],
    [{ block: -1 }],
    [{ unknown: 1 }],
  ])('error: the contract refuses %j', (asked) => {
    expect(GetPps.params.safeParse({ chain_id: CHAIN, vault_address: wallet(1), ...asked }).success).toBe(false);
  });
});

describe('buckets', () => {
  test('default: the narrowest round width that is not too many', () => {
    expect(bucketWidth({ from: START, to: START + DAY }, 24)).toBe(HOUR);
    expect(bucketWidth({ from: START, to: START + DAY }, 23)).toBe(2 * HOUR);
    expect(bucketStarts({ from: START + 1, to: START + DAY }, 12 * HOUR)).toEqual([START, START + 12 * HOUR]);
  });

  test('property: never more than asked for, and they cover the range', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10 ** 9 }),
        fc.integer({ min: 1, max: 10 ** 9 }),
        fc.integer({ min: 2, max: 2_000 }),
        (from, seconds, most) => {
          const asked = { from, to: from + seconds };
          const width = bucketWidth(asked, most);
          const starts = bucketStarts(asked, width);
          expect(starts.length).toBeLessThanOrEqual(most);
          expect(starts[0]).toBeLessThanOrEqual(from);
          expect((starts.at(-1) as number) + width).toBeGreaterThanOrEqual(asked.to);
          expect(starts.every((start) => start % width === 0)).toBe(true);
        },
      ),
      runs(500),
    );
  });
});
