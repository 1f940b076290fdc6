import { describe, expect, test } from '@jest/globals';
import { dayByKey } from './calendar.tsx';
import { countWords, eventWords, type Mark, monthAfter, neighbour, stepOf, weeksOf } from './marks.ts';

const mark = (t: string, kind: Mark['kind'] = 'deposit'): Mark => ({ t, kind, words: kind });

describe('marks of a time machine', () => {
  test('default: the names of events read as words', () => {
    expect(eventWords('MinUpdateIntervalChanged')).toBe('Min update interval changed');
    expect(eventWords('PPSExpiryThresholdUpdated')).toBe('PPS expiry threshold updated');
    expect(eventWords('StrategyPPSStale')).toBe('Strategy PPS stale');
    expect(eventWords('Deposit')).toBe('Deposit');
  });

  test('default: a day says how many of each kind it has', () => {
    const day = [mark('2026-01-01T00:00:00Z', 'role'), mark('2026-01-01T01:00:00Z'), mark('2026-01-01T02:00:00Z')];
    expect(countWords(day)).toBe('1 role, 2 deposits');
    expect(countWords([])).toBe('');
  });

  test('behavior: the event before and after a moment, never the one at it', () => {
    const marks = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'].map((t) => mark(t));
    const here = Date.parse('2026-01-02T00:00:00Z');
    expect([neighbour(marks, here, -1)?.t, neighbour(marks, here, 1)?.t]).toEqual([marks[0]?.t, marks[2]?.t]);
    expect(neighbour(marks, Date.parse('2026-01-01T00:00:00Z'), -1)).toBeUndefined();
  });

  test('behavior: steps of the slider are round, and a few thousand at most', () => {
    expect([stepOf(3_600), stepOf(90 * 86_400), stepOf(20 * 365 * 86_400)]).toEqual([60, 3_600, 86_400]);
  });
});

describe('the calendar', () => {
  test('default: weeks begin on Monday, and have no day of another month', () => {
    const weeks = weeksOf('2026-02');
    expect(weeks).toHaveLength(5);
    expect(weeks[0]).toEqual([null, null, null, null, null, null, '2026-02-01']);
    expect(weeks.flat().filter((day) => day !== null)).toHaveLength(28);
    expect(monthAfter('2026-12', 1)).toBe('2027-01');
  });

  test.each([
    ['ArrowLeft', '2026-02-28'],
    ['ArrowDown', '2026-03-08'],
    ['Home', '2026-02-23'],
    ['End', '2026-03-01'],
    ['PageUp', '2026-02-01'],
    ['PageDown', '2026-04-01'],
    ['a', undefined],
  ])('behavior: %s leads from 1 March to %s', (key, day) => {
    expect(dayByKey(key, '2026-03-01')).toBe(day);
  });

  test('behavior: a month that is shorter ends at its last day', () => {
    expect(dayByKey('PageDown', '2026-01-31')).toBe('2026-02-28');
  });
});
