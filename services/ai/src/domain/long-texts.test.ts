import { expect, test } from '@jest/globals';
import { groundingOf } from './grounding.ts';
import { markUngrounded } from './mark-ungrounded.ts';
import { numeralsOf } from './numerals.ts';
import { markSuspect } from './suspect.ts';

/** Each was read in the square of its length, or threw. */
const shapes = {
  hundreds: 'one hundred ',
  percentages: '5 % ',
  amounts: '5 USDC of 7 ',
  sizes: '5 thousand ',
  sentences: 'It fell 5 % in 7 days. ',
  identifiers: '0x1',
  times: '2024-01-01T',
  clocks: '1:11',
  exponents: '1e999 ',
  spelled: 'ninty percent ',
  spaces: '1          ',
  quotes: "'",
  letters: "a'a'",
  dashes: '-',
  words: 'one-',
  pieces: 'a-',
  underscores: '_',
  mixed: 'a_',
} as const;
const length = 48_000;
/** Of a slow processor; what takes the square of the length takes far more of a fast one. */
const mostMs = 5_000;
const symbols = ['USDC', 'ETH'];

const readers = {
  numeralsOf: (text: string) => numeralsOf(text, symbols),
  groundingOf: (text: string) => markUngrounded(text, groundingOf(text, []).ungrounded),
  markSuspect,
};

const processorMs = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

test.each(Object.keys(readers) as (keyof typeof readers)[])('behavior: %s takes a text as long as it is', (name) => {
  const slow = Object.entries(shapes).flatMap(([shape, piece]) => {
    const text = `${piece.repeat(length / piece.length)}7 % x`;
    const ms = processorMs(() => readers[name](text));
    return ms > mostMs ? [{ shape, ms }] : [];
  });
  expect(slow).toEqual([]);
});

test('behavior: one number of very many spaces and digits', () => {
  const text = `${'1'.repeat(length)} ${'1'.repeat(20)}${' '.repeat(length)}x`;
  expect(processorMs(() => readers.groundingOf(text))).toBeLessThan(mostMs);
  expect(numeralsOf(text)[0]?.value).toBeNull();
});

test('error: a number in words that no amount reaches is no figure, and nothing throws', () => {
  expect(numeralsOf('one hundred hundred hundred '.repeat(80)).map(({ value }) => value)).toEqual([null]);
  expect(numeralsOf('one hundred thousand')[0]?.value).toEqual({ digits: 100_000n, scale: 0 });
});

test('behavior: a word glued to a digit, a quote or another script is found as before', () => {
  const units = ["5'ninty percent", "5a'ninty percent", "'ninty percent", "don't percent"];
  expect(units.map((text) => numeralsOf(text).at(-1)?.text)).toEqual([
    'ninty percent',
    'ninty percent',
    "'ninty percent",
    "don't percent",
  ]);
  const suspects = ['5-prozent', 'a-pour cent-b-pour cent', 'fünf-prozent', '_tenfold', '5__tenfold', 'é_tenfold'];
  for (const text of suspects) expect(markSuspect(text)).toContain('[unverified: ');
  expect(markSuspect('fünf prozent')).toBe('[unverified: fünf prozent]');
});
