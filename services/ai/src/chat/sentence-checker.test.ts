import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ContextFigure } from '../domain/figure.ts';
import { SentenceChecker } from './sentence-checker.ts';

const apy: ContextFigure = {
  path: 'overview.apy.d7',
  label: 'APY',
  unit: 'fraction',
  value: 0.125,
  ...({ direction: 'signed', symbol: null, decimals: null } as const),
};
const checker = () => new SentenceChecker(() => ({ figures: [apy], identifiers: new Set() }));
const through = (pieces: readonly string[]): string[] => {
  const one = checker();
  return [...pieces.map((piece) => one.push(piece)), one.end()];
};

describe('the sentence checker', () => {
  test('default: text without numbers flows at once', () => {
    expect(through(['Hello', ' world', '. All', ' is calm.'])).toEqual(['Hello', ' world', '. All', ' is calm.', '']);
  });

  test('behavior: a number waits for the end of its sentence, the text before it does not', () => {
    expect(through(['The APY is ', '12', '.5 %', ' today. ', 'Fine'])).toEqual([
      ...['The APY is ', '', '', '12.5 % today. ', 'Fine', ''],
    ]);
  });

  test.each([
    ['digits', ['It is ', '99 %. ', 'So.'], 'It is [unverified: 99 %]. So.'],
    ['words', ['It is ', 'fif', 'ty percent. ', 'So.'], 'It is [unverified: fifty percent]. So.'],
    ['a currency before it', ['It is $', '5. ', 'So.'], 'It is [unverified: $5]. So.'],
    ['a sign of its own', ['It is - ', '12.5 %. So.'], 'It is - [unverified: 12.5 %]. So.'],
    ['foreign digits', ['It is ', '٩٩ %. So.'], 'It is [unverified: 99 %]. So.'],
    ['the last sentence', ['It is 99 %'], 'It is [unverified: 99 %]'],
    ['a line of a list', ['- APY: 12.5 %\n- Risk: 7', '\n'], '- APY: 12.5 %\n- Risk: [unverified: 7]\n'],
  ])('behavior: a figure that cannot be traced is marked: %s', (_what, pieces, shown) => {
    expect(through(pieces).join('')).toBe(shown);
  });

  test('behavior: a sentence that does not end is not waited for for ever', () => {
    const long = `12.5 % ${'and on '.repeat(200)}`;
    const [first = ''] = through([long]);
    expect(first.length).toBeGreaterThan(500);
    expect(through([long]).join('')).toBe(long);
  });

  test('behavior: whatever the pieces, the text is the same, and nothing is shown of a number before its sentence ended', () => {
    const word = fc.constantFrom('APY', 'is', '12.5 %', '99 %', 'fifty percent', 'calm.', 'well!', '\n', 'forest');
    const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), cuts, (words, sizes) => {
        const text = words.join(' ');
        const pieces: string[] = [];
        for (let at = 0, n = 0; at < text.length; n += 1) {
          const size = sizes[n % sizes.length] ?? 1;
          pieces.push(text.slice(at, at + size));
          at += size;
        }
        const whole = through([text]).join('');
        expect(through(pieces).join('')).toBe(whole);
        expect(whole.replaceAll(/\[unverified: ([^\]]+)\]/g, '$1')).toBe(text);
        expect(whole.replaceAll(/\[unverified: [^\]]+\]/g, '')).not.toMatch(/99|fifty/);
      }),
      runs(2_500),
    );
  });
});
