import { expect, test } from '@jest/globals';
import { becauseWords } from './because.ts';

test.each([
  ['1 of 1 hold; 1 needed', 'the one condition is true'],
  ['0 of 1 hold, 1 cannot be known; 1 needed', 'the one condition is not known'],
  ['2 of 3 hold; 3 needed', '2 of 3 conditions are true; all must be'],
  ['0 of 3 hold; 1 needed', '0 of 3 conditions are true; one is enough'],
  ['1 of 4 hold, 1 cannot be known; 2 needed', '1 of 4 conditions are true, 1 not known; at least 2 must be'],
  ['the opposite', 'true when what is below is not'],
])('default: %s', (because, words) => {
  expect(becauseWords(because)).toBe(words);
});

test('behavior: a comparison stays as it is', () => {
  expect(becauseWords('5000000 > 1000000')).toBe('5000000 > 1000000');
});
