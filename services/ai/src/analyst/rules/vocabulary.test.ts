import { describe, expect, test } from '@jest/globals';
import { commonWords } from './common-words.ts';
import { expressions } from './expressions.ts';
import { intents } from './intents.ts';
import { unanswered } from './unanswered.ts';
import { canonicalOf, respelled } from './vocabulary.ts';

/** What a question is given by how it is read, and not by a word of the vocabulary. */
const read = new Set(['onesource', 'number', 'symbol', 'now', '']);
const unknownIn = (phrases: readonly string[]): string[] =>
  phrases.flatMap((phrase) => phrase.trim().split(' ')).filter((word) => !read.has(word) && canonicalOf(word) !== word);

describe('the vocabulary', () => {
  test('behavior: expressions, intents and refusals are written in words that the vocabulary gives', () => {
    expect(unknownIn(expressions.map(([, words]) => words))).toEqual([]);
    expect(unknownIn(unanswered.flatMap(({ phrases }) => phrases))).toEqual([]);
    for (const [name, { phrases, beside }] of Object.entries(intents))
      expect([name, unknownIn(phrases), unknownIn([...beside])]).toEqual([name, [], []]);
  });

  test('default: inflections and slips of the pen are read as the word they were meant to be', () => {
    expect(['withdrawals', 'skimmed', 'charging', "holder's"].map(canonicalOf)).toEqual([
      'redeem',
      'skim',
      'fee',
      'holder',
    ]);
    expect(respelled('performence fees of teh valut', () => false)).toBe('performance fees of teh vault');
  });

  test('behavior: a word is not read as a common one of which a letter is another, nor a name as any', () => {
    expect(commonWords.has('lovely')).toBe(true);
    expect(respelled('lowely', () => false)).toBe('lowely');
    expect(respelled('gravty yearn', (word) => ['gravty', 'yearn'].includes(word))).toBe('gravty yearn');
  });
});
