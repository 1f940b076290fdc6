import { expect, test } from '@jest/globals';
import { powers, powersSentence } from './powers.ts';

test('default: a sentence says what a role may do and what not', () => {
  expect(powersSentence('view_only')).toBe(
    'A viewer may see everything of this vault in Operate, alerts and prepared changes included; and may not change anything; nor read the audit log.',
  );
});

test('behavior: what a secondary manager may not do is what the primary one may', () => {
  const primary = powers.primary_manager.may.join(' ');
  expect(powers.secondary_manager.mayNot).not.toHaveLength(0);
  for (const word of ['fees', 'yield sources', 'rules of prices', 'root', 'withdrawal of upkeep'])
    expect([word, primary.includes(word), powers.secondary_manager.mayNot.join(' ').includes(word)]).toEqual([
      word,
      true,
      true,
    ]);
});
