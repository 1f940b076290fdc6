import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toDecimal } from '../format/amount.ts';
import { typedBpsPercent } from '../format/typed.ts';
import { durationInput, readAmount, readDuration, readPercent, sizeOf } from './inputs.ts';

describe('readPercent', () => {
  test.each([
    ['20', 2000],
    ['0.01', 1],
    [' 12.5 % ', 1250],
    ['51', 5100],
    ['0', 0],
  ])('default: %s is %i basis points', (text, bps) => {
    expect(readPercent(text, 5100)).toEqual({ value: bps });
  });

  test.each(['', 'abc', '-1', '1,5', '1.', '0.001', '51.01', '1e1', '99999999999999999999'])(
    'error: %j is refused with words',
    (text) => {
      expect(readPercent(text, 5100)).toEqual({ error: expect.any(String) });
    },
  );

  test('behavior: what is shown for basis points reads back as them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (bps) => {
        expect(readPercent(typedBpsPercent(bps), 1_000_000)).toEqual({ value: bps });
      }),
      { seed: 8 },
    );
  });
});

describe('readAmount', () => {
  test('behavior: every base unit of any token reads back exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), fc.integer({ min: 0, max: 30 }), (raw, decimals) => {
        expect(readAmount(toDecimal(raw, decimals), decimals)).toEqual({ value: String(raw) });
      }),
      { seed: 8 },
    );
  });

  test('behavior: the last digit survives where a float would lose it', () => {
    expect(readAmount('40.500000000000000001', 18)).toEqual({ value: '40500000000000000001' });
  });

  test.each(['', '0', '0.000', '1,000', '-1', '1e3', '0x1', '.', 'NaN'])('error: %j is refused', (text) => {
    expect(readAmount(text, 18)).toEqual({ error: expect.any(String) });
  });

  test('error: more decimals than the token has, and more than the wallet has', () => {
    expect(readAmount('1.0000001', 6)).toMatchObject({ error: expect.stringContaining('6 decimals') });
    expect(readAmount('2', 6, { raw: '1999999', words: '1.999999 UP' })).toEqual({
      error: 'Your wallet has 1.999999 UP.',
    });
    expect(readAmount('1.999999', 6, { raw: '1999999', words: '' })).toEqual({ value: '1999999' });
  });
});

describe('durations', () => {
  test('behavior: what is shown reads back as the same seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999 }), (seconds) => {
        const { text, unit } = durationInput(seconds);
        expect(readDuration(text, unit)).toEqual({ value: seconds });
      }),
      { seed: 8 },
    );
  });

  test('default: the largest unit that divides is taken', () => {
    expect(durationInput(86_400)).toEqual({ text: '1', unit: 'days' });
    expect(durationInput(180)).toEqual({ text: '3', unit: 'minutes' });
    expect(sizeOf('hours')).toBe(3_600);
  });

  test.each(['', '1.5', '-1', 'x'])('error: %j is refused', (text) => {
    expect(readDuration(text, 'hours')).toEqual({ error: expect.any(String) });
  });
});
