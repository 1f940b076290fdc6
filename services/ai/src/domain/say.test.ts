import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ContextFigure, FigureUnit } from './figure.ts';
import { groundingOf } from './grounding.ts';
import { markUngrounded } from './mark-ungrounded.ts';
import { say } from './say.ts';

const figure = (unit: FigureUnit, value: number | string | null, over: Partial<ContextFigure> = {}): ContextFigure => ({
  path: unit,
  label: unit,
  unit,
  value,
  direction: 'signed',
  symbol: unit === 'token' ? 'USDC' : null,
  decimals: unit === 'token' ? 6 : null,
  ...over,
});

describe('how a figure is said', () => {
  test.each([
    ['fraction', 0.0847, '8.47 %'],
    ['fraction', -0.0312, '-3.12 %'],
    ['fraction', 0.0000012, '0.0001 %'],
    ['fraction', 0, '0.00 %'],
    ['bps', 1000, '10 %'],
    ['bps', -430.7114, '-4.31 %'],
    ['bps', 12.34, '12.3 bps'],
    ['usd', 1_234_567.89, '$1.23M'],
    ['usd', -12_345.678, '-$12,345.68'],
    ['token', '1500000250000', '1.50M USDC'],
    ['token', '1500250000', '1,500.25 USDC'],
    ['token', '1', '0.000001 USDC'],
    ['token', '13746', '0.0137 USDC'],
    ['token', '6873', '0.00687 USDC'],
    ['token', '500000', '0.5 USDC'],
    ['token', '0', '0 USDC'],
    ['seconds', 95, '95 seconds'],
    ['seconds', 3_600, '60 minutes'],
    ['seconds', 11_880, '3.3 hours'],
    ['seconds', 1_209_600, '14 days'],
    ['count', 1_234, '1,234'],
    ['score', 42.51, '42.5'],
    ['time', '2026-11-21T12:04:09.000Z', '2026-11-21 12:04 UTC'],
    ['block', 4821, '4821'],
  ] as const)('default: %s %s', (unit, value, said) => {
    expect(say(figure(unit, value))).toBe(said);
  });

  test('behavior: a figure without a value is not said', () => {
    expect(say(figure('usd', null))).toBeNull();
  });
});

const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1, max: 1 }),
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
);
const amounts = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String);
const times = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const units: readonly FigureUnit[] = ['fraction', 'bps', 'usd', 'seconds', 'days', 'count', 'score', 'ratio', 'block'];
const anyFigure: fc.Arbitrary<ContextFigure> = fc.oneof(
  fc.tuple(fc.constantFrom(...units), numbers).map(([unit, value]) => figure(unit, value)),
  fc.tuple(amounts, fc.integer({ min: 0, max: 18 })).map(([value, decimals]) => figure('token', value, { decimals })),
  fc.tuple(amounts, fc.integer({ min: 1, max: 18 })).map(([value, decimals]) => figure('pps', value, { decimals })),
  times.map((value) => figure('time', value)),
);

test.each([false, true])('property: whatever is said of a figure is traced to it (explicit sign: %s)', (explicit) => {
  fc.assert(
    fc.property(anyFigure, (one) => {
      const whole = one.unit === 'block' ? { ...one, value: Math.abs(Math.trunc(Number(one.value))) } : one;
      const { ungrounded } = groundingOf(`The value is ${say(whole, { explicit })}.`, [whole]);
      expect(ungrounded).toEqual([]);
    }),
    runs(5000),
  );
});

describe('what is marked', () => {
  const context = [figure('fraction', 0.0847)];
  const marked = (text: string) => markUngrounded(text, groundingOf(text, context).ungrounded);

  test('default: each figure that could not be traced, where it stands', () => {
    expect(marked('APY is 8.47 %, then 12 %, then 12 % again.')).toBe(
      'APY is 8.47 %, then [unverified: 12 %], then [unverified: 12 %] again.',
    );
  });

  test('behavior: digits of another script are marked in plain ones', () => {
    expect(marked('APY is ９９ %.')).toBe('APY is [unverified: 99 %].');
  });

  test('behavior: a text without such a figure is left alone', () => {
    expect(marked('APY is 8.47 % … fine')).toBe('APY is 8.47 % … fine');
  });
});
