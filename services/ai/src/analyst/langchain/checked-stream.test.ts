import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ContextFigure } from '../../domain/figure.ts';
import { groundingOf } from '../../domain/grounding.ts';
import { markSuspect } from '../../domain/suspect.ts';
import { checkedStream } from './checked-stream.ts';
import { namedByPath } from './placeholders.ts';
import { answerPrompt } from './system-prompt.ts';

const figure = (path: string, over: Partial<ContextFigure>): ContextFigure => ({
  path,
  label: path,
  unit: 'fraction',
  value: 0,
  direction: 'signed',
  symbol: null,
  decimals: null,
  ...over,
});
const figures = [
  figure('apy', { value: 0.0847 }),
  figure('change', { value: -0.0312 }),
  figure('tvl', { unit: 'usd', value: 1_234_567.89 }),
  figure('users', { unit: 'count', value: 42 }),
  figure('sources', { unit: 'count', value: 9 }),
  figure('old', { value: null }),
];
const ground = () => ({ named: namedByPath(figures), figures, identifiers: new Set(['abc']) });
const never = new AbortController().signal;

function streamed(pieces: readonly string[]) {
  const events: string[] = [];
  const stream = checkedStream(ground, (text) => events.push(text), never);
  for (const piece of pieces) stream.push(piece);
  stream.flush();
  return { text: stream.text(), events, used: stream.used().map(({ path }) => path) };
}

describe('what goes through', () => {
  test('behavior: plain words go out before their sentence ends', () => {
    const events: string[] = [];
    const stream = checkedStream(ground, (text) => events.push(text), never);
    stream.push('The vault is in ');
    expect(events.join('')).toBe('The vault is in ');
    stream.push('opera');
    expect(events.join('')).toBe('The vault is in opera');
    stream.push('tion. ');
    expect(events.join('')).toContain('operation.');
  });

  test('behavior: a word goes out when it comes, though only the next one shows that it has ended', () => {
    const events: string[] = [];
    const stream = checkedStream(ground, (text) => events.push(text), never);
    for (const piece of ['Liquidity', ' did', ' not', ' dwindle']) stream.push(piece);
    expect(events).toEqual(['Liquidity', ' did', ' not', ' dwindle']);
  });

  test.each([['se'], ['nin'], ['thou'], ['T'], ['cou'], ['hun']])(
    'behavior: %s waits, it may become a number',
    (piece) => {
      const events: string[] = [];
      const stream = checkedStream(ground, (text) => events.push(text), never);
      stream.push(`Of ${piece}`);
      expect(events.join('')).toBe('Of ');
    },
  );

  test.each([
    ['a figure by its path', 'The APY is {{apy}} now.', 'The APY is 8.47 % now.'],
    ['a negative one', 'TVL changed by {{ change }}.', 'TVL changed by -3.12 %.'],
    ['a traced number', 'The APY is 8.47 %.', 'The APY is 8.47 %.'],
    ['the number of an item', '1. Fees\n2) Risk', '- Fees\n- Risk'],
    ['the link to a review', '[Review](/operate/review/abc)', '[Review](/operate/review/abc)'],
    ['two paragraphs', 'Good.\n\n- Fine\n- Well', 'Good.\n\n- Fine\n- Well'],
  ])('default: %s', (_what, text, shown) => {
    expect(streamed([text]).text).toBe(shown);
  });

  test('behavior: a figure is known as used', () => {
    expect(streamed(['It is {{apy}} on {{tvl}}.']).used).toEqual(['apy', 'tvl']);
  });
});

describe('what is marked', () => {
  test.each([
    ['an unknown path', 'It is {{apy.d99}}.', 'It is [unknown figure].'],
    ['a figure without a value', 'It is {{old}}.', 'It is [unknown figure].'],
    ['a placeholder without an end', 'It is {{apy', 'It is [unknown figure]'],
    ['braces within braces', 'It is {{{{apy}}}}.', '[unknown figure]'],
    ['an invented number', 'The APY is 99 %.', '[unverified: 99 %]'],
    ['a number in words', 'It pays ninety percent.', '[unverified: ninety percent]'],
    ['words that turn a sign', 'TVL fell by {{apy}}.', '[unverified: 8.47 %]'],
    ['a unit behind a path', 'It is {{users}} %.', '[unverified: 42 %]'],
    ['a size behind a path', 'There are {{users}} thousand holders.', '[unverified: 42 thousand]'],
    ['a size on the next line', 'It has {{users}}\nthousand holders.', '[unverified: thousand]'],
    ['digits with emphasis between', 'It is 9**9** %.', '[unverified: 99 %]'],
    [
      'a unit behind emphasis',
      'It is **42** %, __42__ %, `42` %, *42*%.',
      '[unverified: 42 %], [unverified: 42 %], [unverified: 42 %], [unverified: 42%]',
    ],
    ['digits with nothing visible between', 'It is 9\u200b9 %.', '[unverified: 99 %]'],
    ['a digit in a link', 'It is [9](/x)9 %.', '[unverified: 99 %]'],
    ['digits as entities', 'It is &#57;&#57; %.', '[removed][removed] %'],
    ['digits around a comment', 'It is 9<!-- -->9 %.', '9[removed][unverified: 9 %]'],
    ['another script', 'It is 九十 percent.', '[unverified: 九十 percent]'],
    ['a fraction of one character', 'About ½ of them left.', '[unverified:'],
    ['another language', 'Das sind neunzig Prozent.', '[unverified: neunzig Prozent]'],
    ['a Roman number', 'It yields XC percent.', '[unverified: XC]'],
    ['a multiple', 'Deposits grew tenfold.', '[unverified: tenfold]'],
    ['a link elsewhere', 'See https://evil.example/x?y for more.', 'See [link removed] for more.'],
    ['a named link elsewhere', 'See [this](https://evil.example).', 'See this.'],
    ['an image', 'Fine ![x](https://evil.example/?q=1) it is.', 'Fine [removed] it is.'],
    ['an image behind emphasis', 'Fine !*[x](/operate/q) it is.', 'Fine [removed] it is.'],
    ['a link over two lines', 'It is [a\n9](/x)9 %.', '9] [unverified: 9 %]'],
    ['markup in a link', 'Fine [<](/x)img src=x> it is.', 'Fine [removed] it is.'],
    ['markup', 'Fine <img src=x onerror=alert(1)> it is.', 'Fine [removed] it is.'],
  ])('behavior: %s', (_what, text, shown) => {
    expect(streamed([text]).text).toContain(shown);
  });

  test.each([
    [
      'a number of another language',
      ['Von ', 'vier', 'und', 'zwanzig', ' Prozent.'],
      '[unverified: vierundzwanzig Prozent]',
    ],
    ['a multiple', ['It grew ', 'much', 'fold', ' since.'], '[unverified: muchfold]'],
    ['a number behind letters', ['It is ', 'about', '9 %', ' now.'], '[unverified: 9 %]'],
    ['a number behind a dash', ['It is ', 'some', '-ninety', ' now.'], '[unverified: ninety]'],
    ['an address', ['See ', 'htt', 'p', '://evil', '.example ', 'now.'], '[link removed]'],
    ['an address without a protocol', ['See ', 'ww', 'w', '.evil.example', ' now.'], '[link removed]'],
    ['a scheme', ['See ', 'data', ':text', ' now.'], '[link removed]'],
  ])('behavior: %s that comes in pieces', (_what, pieces, shown) => {
    const { text } = streamed(pieces);
    expect(text).toContain(shown);
    expect(text).not.toMatch(/evil|: ?text|(?<!unverified: )9/);
  });

  test('behavior: a number of more than is held at once is marked in all of its parts', () => {
    const { text } = streamed([`${'9'.repeat(5_000)} %`]);
    expect(text.replaceAll(/\[unverified: [^\]]*\]/g, '')).not.toMatch(/\d/);
  });

  test('behavior: the system prompt is not repeated', () => {
    const { text } = streamed([`Sure. ${answerPrompt}`.slice(0, 900)]);
    expect(text).toContain('[removed]');
    for (const line of answerPrompt.split('\n').filter((each) => each.length > 60)) expect(text).not.toContain(line);
  });
});

test('property: however a text is cut, what is sent of it has no number that is neither traced nor marked', () => {
  // No words of direction: how far away one counts depends on what is marked between.
  const texts =
    'The,seven,ninety,thousand,vierundzwanzig,42,9,%,8.47 %,a,dozen,tenfold,liquidity,once,onze,twenty-two,{{apy}},holders.,**9**';
  const word = fc.constantFrom(...texts.split(','), 'http://e.x', 'x.\n');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 14 }), fc.array(fc.integer({ min: 1, max: 6 })), (parts, sizes) => {
      const text = parts.join(' ');
      const pieces = sizes.map((size, n) => text.slice(sum(sizes.slice(0, n)), sum(sizes.slice(0, n)) + size));
      const { text: shown } = streamed([...pieces, text.slice(sum(sizes))]);
      const bare = shown.replaceAll(/\[[^\]]*\]/g, ' | ');
      expect(groundingOf(bare, figures, new Set()).ungrounded).toEqual([]);
      expect(markSuspect(bare)).toBe(bare);
      expect(bare).not.toContain('e.x');
    }),
    runs(10_000),
  );
});
const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0);

test('property: a text is the same however it is cut into pieces', () => {
  const texts = [
    'The APY is {{apy}} and TVL fell by {{change}}. It has 42 holders, ninety of 9 %.\n\n- {{tvl}} now\n- none {{x}}.',
    'Forty-two holders. See [a](https://b.c) and 9**9** %! TVL rose by 3.12 %, or 847 bps; fine.\nthousand.',
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 60 }),
      (text, sizes) => {
        const pieces: string[] = [];
        let rest = text;
        for (const size of sizes) {
          pieces.push(rest.slice(0, size));
          rest = rest.slice(size);
        }
        const { text: whole } = streamed([text]);
        const { text: cut, events } = streamed([...pieces, rest]);
        expect(cut).toBe(whole);
        expect(events.join('')).toBe(cut);
      },
    ),
    runs(500),
  );
});
