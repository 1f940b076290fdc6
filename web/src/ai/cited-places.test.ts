import { describe, expect, test } from '@jest/globals';
import type { Cited } from './cited.ts';
import { citedPieces, unplaced } from './cited-places.ts';

const a = (metric: string, said?: string): Cited => ({ metric, path: metric, value: 1, ...(said && { said }) });
const marked = (text: string, citations: Cited[], name?: string) =>
  citedPieces(text, citations, name).map(({ text: piece, citation }) => [piece, citation?.metric]);

describe('where figures stand in a text', () => {
  test('default: each piece ends with its figure', () => {
    expect(marked('APY 5 % and TVL $1.20M.', [a('apy', '5 %'), a('tvl', '$1.20M')])).toEqual([
      ['APY 5 %', 'apy'],
      [' and TVL $1.20M', 'tvl'],
      ['.', undefined],
    ]);
  });

  test('behavior: a figure is not found inside a longer one', () => {
    expect(marked('15 % and -5 % and 5 %', [a('apy', '5 %')])).toEqual([['15 % and -5 % and 5 %', 'apy']]);
    expect(marked('3 of 30, 1.3 and 3,000', [a('n', '3')])).toEqual([
      ['3', 'n'],
      [' of 30, 1.3 and 3,000', undefined],
    ]);
  });

  test('behavior: figures that are written alike are marked in their order, or by the name of their row', () => {
    const alike = [a('first', '5 %'), a('second', '5 %')];
    expect(marked('5 % then 5 %', alike)).toEqual([
      ['5 %', 'first'],
      [' then 5 %', 'second'],
    ]);
    expect(marked('5 %', alike, 'Second')).toEqual([['5 %', 'second']]);
  });

  test('behavior: a citation without a place is left for the list', () => {
    const citations = [a('apy', '5 %'), a('old'), a('gone', '7 %')];
    expect(unplaced(citations, ['APY 5 %']).map(({ metric }) => metric)).toEqual(['old', 'gone']);
  });
});
