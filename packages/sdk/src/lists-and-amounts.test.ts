import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatAmount, parseAmount } from './amounts.ts';
import { itemsOf } from './pages.ts';

describe('lists', () => {
  const pages = [
    { rows: [1, 2], next_cursor: 'a' },
    { rows: [], next_cursor: 'b' },
    { rows: [3], next_cursor: null },
  ];
  const asked: object[] = [];
  const method = async (input: { query: { chain_id: string; cursor?: string } }) => {
    asked.push(input.query);
    return pages[asked.length - 1] ?? { rows: [], next_cursor: null };
  };

  beforeEach(() => {
    asked.length = 0;
  });

  test('default: every item of every page, each page asked for by the cursor of the one before', async () => {
    const items: number[] = [];
    for await (const item of itemsOf(method, { query: { chain_id: '1' } }, 'rows')) items.push(item);
    expect(items).toEqual([1, 2, 3]);
    expect(asked).toEqual([{ chain_id: '1' }, { chain_id: '1', cursor: 'a' }, { chain_id: '1', cursor: 'b' }]);
  });

  test('behavior: who stops early asks for no more', async () => {
    for await (const _item of itemsOf(method, { query: { chain_id: '1' } }, 'rows')) break;
    expect(asked).toHaveLength(1);
  });
});

describe('amounts', () => {
  test.each([
    ['1500000', 6, '1.5'],
    ['1', 18, '0.000000000000000001'],
    ['-250', 2, '-2.5'],
    ['7', 0, '7'],
    ['0', 6, '0'],
  ])('default: %s with %d decimals is %s, and back', (raw, decimals, text) => {
    expect(formatAmount(raw, decimals)).toBe(text);
    expect(parseAmount(text, decimals)).toBe(BigInt(raw));
  });

  test('behavior: any amount comes back as it was', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.integer({ min: 0, max: 36 }), (value, decimals) => {
        expect(parseAmount(formatAmount(value, decimals), decimals)).toBe(value);
      }),
    );
  });

  test.each(['1.2345678', '1e6', '', '.5', '1,5', '0x10'])('error: "%s" is no amount of six decimals', (text) => {
    expect(() => parseAmount(text, 6)).toThrow(RangeError);
  });
});
