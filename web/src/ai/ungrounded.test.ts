import { expect, test } from '@jest/globals';
import { piecesOf } from './ungrounded.ts';

const shown = (text: string, doubtful: Parameters<typeof piecesOf>[1]) =>
  piecesOf(text, doubtful)
    .map(({ text, isDoubtful }) => (isDoubtful ? `<${text}>` : text))
    .join('');

test('default: a text without doubtful figures is one piece', () => {
  expect(piecesOf('APY 4.2 %', [])).toEqual([{ text: 'APY 4.2 %', isDoubtful: false }]);
});

test('behavior: what the server marked is marked, and the same number elsewhere is not', () => {
  expect(shown('It holds 5 sources, [unverified: 5] of them new', [{ figure: '5', context: '' }])).toBe(
    'It holds 5 sources, <5> of them new',
  );
});

test('behavior: an unmarked one is found by the words around it', () => {
  expect(shown('5 sources and 5 holders', [{ figure: '5', context: 'and 5 holders' }])).toBe(
    '5 sources and <5> holders',
  );
});

test('behavior: words that are not found mark every place, but no part of a longer number', () => {
  expect(shown('5 of 15, 5.25 and 1,005 or 5.', [{ figure: '5', context: 'elsewhere' }])).toBe(
    '<5> of 15, 5.25 and 1,005 or <5>.',
  );
});
