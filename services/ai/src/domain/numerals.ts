import { type Decimal, decimalOf } from './decimal.ts';

/** What the words around a numeral say it counts. */
export type NumeralUnit =
  | 'percent'
  | 'bps'
  | 'usd'
  | 'seconds'
  | 'minutes'
  | 'hours'
  | 'days'
  | 'weeks'
  | 'months'
  | 'years'
  | 'times'
  | 'symbol'
  | 'none';

/** A number in a text, as it was written. */
export type Numeral = {
  text: string;
  index: number;
  value: Decimal;
  /** Digits it was given to, counted after `shift`. */
  places: number;
  /** Power of ten of its suffix: 3 for k, 6 for M, 9 for B. */
  shift: number;
  unit: NumeralUnit;
  symbol: string | null;
  /** `-` or `+` where it was written. */
  sign: '-' | '+' | null;
};

const shifts: Readonly<Record<string, number>> = {
  k: 3,
  thousand: 3,
  m: 6,
  mm: 6,
  mn: 6,
  million: 6,
  b: 9,
  bn: 9,
  billion: 9,
  trillion: 12,
};
const units: Readonly<Record<string, NumeralUnit>> = {
  '%': 'percent',
  percent: 'percent',
  'per cent': 'percent',
  pct: 'percent',
  'percentage points': 'percent',
  'percentage point': 'percent',
  pp: 'percent',
  bp: 'bps',
  bps: 'bps',
  'basis points': 'bps',
  'basis point': 'bps',
  usd: 'usd',
  dollars: 'usd',
  dollar: 'usd',
  s: 'seconds',
  sec: 'seconds',
  second: 'seconds',
  seconds: 'seconds',
  min: 'minutes',
  mins: 'minutes',
  minute: 'minutes',
  minutes: 'minutes',
  h: 'hours',
  hr: 'hours',
  hrs: 'hours',
  hour: 'hours',
  hours: 'hours',
  d: 'days',
  day: 'days',
  days: 'days',
  w: 'weeks',
  week: 'weeks',
  weeks: 'weeks',
  month: 'months',
  months: 'months',
  y: 'years',
  yr: 'years',
  year: 'years',
  years: 'years',
  x: 'times',
  times: 'times',
};

const ones = [
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen',
  'eighteen nineteen',
]
  .join(' ')
  .split(' ');
const tens = ['', '', ...'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')];
const wordValue = new Map<string, number>([
  ...ones.map((word, value): [string, number] => [word, value]),
  ...tens.flatMap((word, value): [string, number][] => (word === '' ? [] : [[word, value * 10]])),
  ['dozen', 12],
  ['hundred', 100],
]);
/** Words that say a ratio without a number. */
const ratioWords = new Map<string, string>([
  ['half', '0.5'],
  ['halves', '0.5'],
  ['halved', '0.5'],
  ['third', '0.333333'],
  ['thirds', '0.333333'],
  ['quarter', '0.25'],
  ['quarters', '0.25'],
  ['twice', '2'],
  ['double', '2'],
  ['doubled', '2'],
  ['triple', '3'],
  ['tripled', '3'],
]);

/** Words that say a number by themselves. */
export const numberWords: ReadonlySet<string> = new Set([...wordValue.keys(), ...ratioWords.keys()]);

const sizes = ['thousand', 'million', 'billion', 'trillion', 'dozens', 'hundreds', 'couple'];
const beginnings = new Set(
  [...numberWords, ...sizes].flatMap((word) => [...word].map((_, at) => word.slice(0, at + 1))),
);
/** True for what a text that comes in pieces may go on with to a word that says a number, or for such a word. */
export const beginsNumber = (letters: string): boolean => beginnings.has(letters.toLowerCase());

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const longestFirst = (words: readonly string[]): string =>
  [...words]
    .sort((a, b) => b.length - a.length)
    .map(literally)
    .join('|');

const anyNumber = new RegExp(`\\d|${longestFirst([...numberWords, ...sizes])}`, 'i');
/** False only where no number can be, whatever is read as a name or a unit: most texts are told so at a glance. */
export const mayHoldNumber = (plain: string): boolean => anyNumber.test(plain);

/** Words that give a number a unit or a size: a token called so would be misread. */
export const unitWords: ReadonlySet<string> = new Set([...Object.keys(units), ...Object.keys(shifts)]);

const unitPattern = longestFirst(Object.keys(units));
const shiftPattern = longestFirst(Object.keys(shifts));

/** Digits of any script read as ASCII, and the many dashes and spaces as one: a figure must not hide in its typography. */
export const plainDigits = (text: string): string => (/^\p{ASCII}*$/u.test(text) ? text : plainOf(text));

const plainOf = (text: string): string =>
  text
    // The ellipsis of a shortened address is kept: the normal form would make three dots of it.
    .split('…')
    .map((part) => part.normalize('NFKC'))
    .join('…')
    .replaceAll(/\p{Nd}/gu, (digit) => {
      const code = digit.codePointAt(0) as number;
      if (code < 128) return digit;
      // Digits of a script stand in a row of ten, and the first has the value 0.
      let zero = code;
      while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero -= 1;
      return String(code - zero);
    })
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ');

/**
 * Every number of a text, in digits and in words, with its unit. `symbols` are tokens that may follow an amount. A bare `one` is
 * a pronoun more often than a number, and is read only before a unit.
 */
export function numeralsOf(source: string, symbols: readonly string[] = []): Numeral[] {
  const text = plainDigits(source);
  if (!mayHoldNumber(text)) return [];
  return [...digitNumerals(text, symbols), ...wordNumerals(text)].sort((a, b) => a.index - b.index);
}

function digitPattern(symbols: readonly string[]): RegExp {
  const symbolPattern = symbols.length === 0 ? '(?!)' : longestFirst(symbols);
  return new RegExp(
    [
      '(?<sign>(?<![\\p{L}\\p{Nd}])[-+])?\\s?(?<usd>US\\$|\\$)?(?<inner>-)?',
      '(?<number>\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?|\\.\\d+)(?:e(?<exponent>[+-]?\\d{1,3})(?![\\p{L}\\p{Nd}]))?',
      `(?:[ -]?(?<shift>${shiftPattern})(?![\\p{L}\\p{Nd}]))?`,
      `(?:[ -]?(?:(?<symbol>${symbolPattern})|(?<unit>${unitPattern}))(?![\\p{L}\\p{Nd}]))?`,
    ].join(''),
    'giu',
  );
}

function digitNumerals(text: string, symbols: readonly string[]): Numeral[] {
  if (!/\d/.test(text)) return [];
  const pattern = digitPattern(symbols);
  return [...text.matchAll(pattern)].map((match) => {
    const { sign, inner, usd, number = '0', exponent = '0', shift, symbol, unit } = match.groups ?? {};
    const plain = number.replaceAll(',', '').replace(/^\./, '0.');
    const power = (shift === undefined ? 0 : (shifts[shift.toLowerCase()] ?? 0)) + Number(exponent);
    const isNegative = (sign ?? inner) === '-';
    const kind = usd === undefined ? (unit === undefined ? 'none' : (units[unit.toLowerCase()] ?? 'none')) : 'usd';
    return {
      text: match[0].trim(),
      index: match.index,
      value: decimalOf(`${isNegative ? '-' : ''}${plain}`),
      places: plain.includes('.') ? plain.length - plain.indexOf('.') - 1 : 0,
      shift: power,
      unit: symbol === undefined ? kind : 'symbol',
      symbol: symbol ?? null,
      sign: isNegative ? '-' : sign === '+' ? '+' : null,
    };
  });
}

const wordPattern = (() => {
  const words = [...wordValue.keys(), 'thousand', 'million', 'billion', 'trillion', 'and', 'a', 'point'];
  const run = `(?:${longestFirst(words)})`;
  return new RegExp(
    `(?<![\\p{L}\\p{Nd}])(?<words>${run}(?:[ -]${run})*)(?:[ -](?<unit>${unitPattern}))?(?![\\p{L}\\p{Nd}])|(?<![\\p{L}\\p{Nd}])(?<ratio>${longestFirst([...ratioWords.keys()])})(?![\\p{L}\\p{Nd}])`,
    'giu',
  );
})();

function wordNumerals(text: string): Numeral[] {
  const found: Numeral[] = [];
  for (const match of text.matchAll(wordPattern)) {
    const { words: said, unit, ratio } = match.groups ?? {};
    const common = { text: match[0], index: match.index, shift: 0, symbol: null, sign: null } as const;
    if (ratio !== undefined) {
      found.push({ ...common, value: decimalOf(ratioWords.get(ratio.toLowerCase()) ?? '0'), places: 6, unit: 'times' });
      continue;
    }
    const value = valueOfWords(said?.toLowerCase() ?? '');
    if (value === null || (value === 1n && unit === undefined)) continue;
    const kind = unit === undefined ? 'none' : (units[unit.toLowerCase()] ?? 'none');
    found.push({ ...common, value: { digits: value, scale: 0 }, places: 0, unit: kind });
  }
  return found;
}

/** `forty-two thousand` is 42 000; null when no word of it is a number. */
function valueOfWords(said: string): bigint | null {
  let [total, current, seen] = [0, 0, false];
  for (const word of said.split(/[ -]/)) {
    const shift = shifts[word];
    const value = wordValue.get(word);
    if (value === 100 || value === 12) current = Math.max(current, 1) * value;
    else if (value !== undefined) current += value;
    else if (shift !== undefined && word.length > 2) {
      if (!seen && current === 0) continue;
      total += Math.max(current, 1) * 10 ** shift;
      current = 0;
    } else continue;
    seen = true;
  }
  return seen ? BigInt(total + current) : null;
}
