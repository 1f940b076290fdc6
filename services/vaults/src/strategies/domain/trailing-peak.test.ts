import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { TrailingPeak, WEEK } from './trailing-peak.ts';

const DAY = 86_400;
type Reading = { after: number; pps: number | null };

test('default: the highest of seven days, with the price that stood when they began; null below a day and without a price', () => {
  const peak = new TrailingPeak();
  expect(peak.add(0, '120')).toBeNull();
  expect(peak.add(DAY - 1, '100')).toBeNull();
  expect(peak.add(2 * DAY, '110')).toBe('120');
  expect(peak.add(2 * DAY + 1, null)).toBeNull();
  expect(peak.add(8 * DAY - 2, '105')).toBe('120');
  expect(peak.add(8 * DAY - 1, '106')).toBe('110');
  expect(peak.add(30 * DAY, '104')).toBe('106');
});

test('behavior: it is what looking at all readings again finds', () => {
  const readings = fc.array(
    fc.record({
      after: fc.integer({ min: 1, max: 4 * DAY }),
      pps: fc.option(fc.integer({ min: 1, max: 20 }), { freq: 8 }),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(readings, (given: Reading[]) => {
      const peak = new TrailingPeak();
      const seen: { time: number; pps: number }[] = [];
      let time = 0;
      for (const { after, pps } of given) {
        time += after;
        const found = peak.add(time, pps === null ? null : `${pps}`);
        if (pps === null) {
          expect(found).toBeNull();
          continue;
        }
        seen.push({ time, pps });
        const first = seen.findLastIndex((each) => each.time <= time - WEEK);
        const highest = Math.max(...seen.slice(Math.max(0, first)).map((each) => each.pps));
        expect(found).toBe(time - (seen[0]?.time ?? time) < DAY ? null : `${highest}`);
      }
    }),
  );
});
