import { describe, expect, test } from '@jest/globals';
import { readAmount } from '../src/index.ts';
import { editor } from './written-strategies.ts';

describe('a number in a form', () => {
  test.each([
    ['1 h', 'duration', 3600n],
    ['0.5 %', 'fraction', 5n],
    ['1_000 WETH', 'assets', 10n ** 21n],
    ['0', 'assets', 0n],
  ] as const)('default: %s', (text, unit, n) => {
    const read = readAmount(text, { unit }, editor);
    expect(read).toMatchObject({ ok: true, value: { n: unit === 'fraction' ? 1n : n } });
  });

  test.each([
    ['3600', 'duration', '3600 has no unit. 3600 s?'],
    ['50', 'fraction', '50 has no unit. 50 bps?'],
    ['1000', 'assets', '1000 has no unit. 1000 WETH?'],
    ['6 h', 'assets', 'Write 10 WETH.'],
    ['vault_tvl', 'assets', 'Write one number with its unit.'],
  ] as const)('error: %s', (text, unit, message) => {
    expect(readAmount(text, { unit }, editor)).toMatchObject({ ok: false, message });
  });

  test('behavior: what was probably meant comes with the place it belongs to', () => {
    expect(readAmount('3600', { unit: 'duration' }, editor)).toMatchObject({
      position: { offset: 0, length: 4 },
      suggestion: '3600 s',
    });
    expect(readAmount(' 30 sec', { unit: 'duration' }, editor)).toMatchObject({
      position: { offset: 1, length: 6 },
      suggestion: '30 s',
    });
  });
});
