import type { DutyRota, QuietHours } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { canWait, isQuiet } from './quiet-hours.ts';
import { dutyAt, shiftsFrom } from './rota.ts';
import { instantOf, wallOf } from './wall-clock.ts';

const person = (name: string) => ({ wallet_address: `0x${name}`, name });
const [ada, bo, cy] = ['Ada', 'Bo', 'Cy'].map(person) as [
  ReturnType<typeof person>,
  ReturnType<typeof person>,
  ReturnType<typeof person>,
];
const rota: DutyRota = {
  time_zone: 'Europe/Zurich',
  people: [ada, bo, cy],
  // A Monday; summer time ends on 25 October.
  starts_on: '2026-10-12',
  hand_over: '09:00',
  overrides: [],
  escalation: null,
};
const at = (iso: string) => new Date(iso);
const names = ({ on_duty, next }: ReturnType<typeof dutyAt>) => [on_duty?.name ?? null, next?.name ?? null];

describe('who is on duty', () => {
  test.each([
    ['2026-10-12T06:59:59Z', null, null],
    ['2026-10-12T07:00:00Z', 'Ada', 'Bo'],
    ['2026-10-19T06:59:59Z', 'Ada', 'Bo'],
    ['2026-10-19T07:00:00Z', 'Bo', 'Cy'],
    // Nine in the morning is an hour later by UTC from here on.
    ['2026-10-26T07:59:59Z', 'Bo', 'Cy'],
    ['2026-10-26T08:00:00Z', 'Cy', 'Ada'],
    ['2026-11-02T08:00:00Z', 'Ada', 'Bo'],
  ])('default: at %s it is %s, and %s is next', (now, on, next) => {
    expect(names(dutyAt(rota, at(now)))).toEqual([on, next]);
  });

  test('behavior: who stands in is on duty, and the person of the week is next', () => {
    const overrides = [{ from: '2026-10-13T00:00:00Z', to: '2026-10-14T00:00:00Z', wallet_address: cy.wallet_address }];
    const standIn = { ...rota, overrides };
    expect(names(dutyAt(standIn, at('2026-10-13T12:00:00Z')))).toEqual(['Cy', 'Ada']);
    expect(names(dutyAt(standIn, at('2026-10-14T00:00:00Z')))).toEqual(['Ada', 'Bo']);
    expect(
      shiftsFrom(standIn, at('2026-10-13T12:00:00Z'))
        .map(({ person: { name }, is_override }) => [name, is_override])
        .slice(0, 3),
    ).toEqual([
      ['Ada', false],
      ['Cy', true],
      ['Bo', false],
    ]);
  });

  test('behavior: one person alone has nobody after, and is on duty each week', () => {
    const alone = { ...rota, people: [bo] };
    expect(names(dutyAt(alone, at('2026-11-20T00:00:00Z')))).toEqual(['Bo', null]);
  });

  test('behavior: weeks that are shown meet without a gap, also where the clocks change', () => {
    const shifts = shiftsFrom(rota, at('2026-10-13T00:00:00Z'));
    expect(shifts.slice(1).every(({ from }, index) => from === shifts[index]?.to)).toBe(true);
    expect(shifts.slice(0, 3).map(({ to }) => to)).toEqual([
      '2026-10-19T07:00:00.000Z',
      '2026-10-26T08:00:00.000Z',
      '2026-11-02T08:00:00.000Z',
    ]);
  });

  test('behavior: a time that a clock skips is the instant after, one that comes twice the first', () => {
    const wall = (text: string) => instantOf(Date.parse(text), 'Europe/Zurich').toISOString();
    expect(wall('2026-03-29T02:30:00Z')).toBe('2026-03-29T01:30:00.000Z');
    expect(wall('2026-10-25T02:30:00Z')).toBe('2026-10-25T00:30:00.000Z');
    expect(new Date(wallOf(at('2026-07-01T00:00:00Z'), 'Asia/Kolkata')).toISOString()).toBe('2026-07-01T05:30:00.000Z');
  });
});

describe('quiet hours', () => {
  const night: QuietHours = { time_zone: 'Europe/Zurich', from: '22:00', to: '07:00', breaks_through: 'critical' };

  test.each([
    ['2026-07-01T19:59:00Z', false],
    ['2026-07-01T20:00:00Z', true],
    ['2026-07-02T04:59:00Z', true],
    ['2026-07-02T05:00:00Z', false],
    ['2026-12-01T20:30:00Z', false],
    ['2026-12-01T21:00:00Z', true],
  ])('default: at %s, by the clock of Zurich, quiet is %s', (now, quiet) => {
    expect(isQuiet(night, at(now))).toBe(quiet);
  });

  test('behavior: what breaks through does not wait, and nothing waits without quiet hours', () => {
    const midnight = at('2026-07-01T22:00:00Z');
    expect([canWait(night, 'critical', midnight), canWait(night, 'warning', midnight)]).toEqual([false, true]);
    expect(canWait({ ...night, breaks_through: 'warning' }, 'warning', midnight)).toBe(false);
    expect(canWait(null, 'info', midnight)).toBe(false);
    expect(canWait(night, 'info', at('2026-07-01T12:00:00Z'))).toBe(false);
  });
});
