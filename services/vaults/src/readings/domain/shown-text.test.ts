import { describe, expect, test } from '@jest/globals';
import { shownText } from './shown-text.ts';

describe('text of a contract', () => {
  test.each([
    ['Lend USDC', 'Lend USDC'],
    ['  two\n lines\t', 'two lines'],
    ['\u202eCDSU\u200b \u0000', 'CDSU'],
    ['\u0000\u200b', null],
    ['', null],
    ['<b>bold</b>', '<b>bold</b>'],
    ['🏦'.repeat(70), `${'🏦'.repeat(63)}…`],
  ])('default: %j is shown as %j', (text, shown) => {
    expect(shownText(text)).toBe(shown);
  });
});
