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
  /** A currency or a measure no figure is in. */
  | 'other'
  | 'none';

/** A number in a text, as it was written. */
export type Numeral = {
  text: string;
  index: number;
  /** null for what says a number in a way that is not read as one: no figure can be what it says. */
  value: Decimal | null;
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
  'per-cent': 'percent',
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
  '×': 'times',
  times: 'times',
  fold: 'times',
  ...Object.fromEntries(
    '€ £ ¥ ₿ ₹ ₽ ₩ ‰ ‱ ppm cent cents euro euros pounds yen yuan francs gwei wei sats'
      .split(' ')
      .map((name): [string, NumeralUnit] => [name, 'other']),
  ),
};
/** Units that are also written before their number. */
const leading = ['%', 'percent', 'bps', 'usd', '€', '£', '¥', '₿', '₹', '₽', '₩', '‰'];
/** Capitals behind a number that are no token. */
const acronyms = new Set('APY APR TVL HHI HWM PPS NAV UTC ERC TWR'.split(' '));

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
/** Words that say a ratio without a number; those without a value are never borne out. */
const ratioWords = new Map<string, string | null>([
  ...['half', 'halves', 'halved'].map((word): [string, string] => [word, '0.5']),
  ...['third', 'thirds'].map((word): [string, string] => [word, '0.333333']),
  ...['quarter', 'quarters'].map((word): [string, string] => [word, '0.25']),
  ...['twice', 'double', 'doubled'].map((word): [string, string] => [word, '2']),
  ...['triple', 'tripled'].map((word): [string, string] => [word, '3']),
  ...'fourth fifth sixth seventh eighth ninth tenth twelfth twentieth hundredth thousandth'
    .split(' ')
    .flatMap((word): [string, null][] => [
      [word, null],
      [`${word}s`, null],
    ]),
  ...'halving doubles doubling triples tripling thrice quadruple quadrupled quintupled dozens hundreds thousands millions billions trillions'
    .split(' ')
    .map((word): [string, null] => [word, null]),
]);
const large = ['thousand', 'million', 'billion', 'trillion'];

/** Words that say a number by themselves; a text that comes in pieces may hold the beginning of one. */
export const numberWords: ReadonlySet<string> = new Set([...wordValue.keys(), ...ratioWords.keys(), ...large]);

const beginnings = new Set(
  [...numberWords, 'couple'].flatMap((word) => [...word].map((_, at) => word.slice(0, at + 1))),
);
/** True for what a text that comes in pieces may go on with to a word that says a number, or for such a word. */
export const beginsNumber = (letters: string): boolean => beginnings.has(letters.toLowerCase());

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const longestFirst = (words: readonly string[]): string =>
  [...words]
    .sort((a, b) => b.length - a.length)
    .map(literally)
    .join('|');

const anyNumber = new RegExp(`[\\d%]|per ?-?cent|pct|bps|basis|couple|${longestFirst([...numberWords])}`, 'i');
/** False only where no number can be, however names and units are read: a quick check that settles most texts. */
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
    // Keycaps and strokes are drawn over a digit.
    .replaceAll(/(?<=\d)\p{M}+/gu, '')
    .replaceAll('٪', '%')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ');

/**
 * Every number of a text, in digits and in words, with its unit. `symbols` are tokens that may follow an amount. A bare `one` is
 * a pronoun more often than a number, and is read only before a unit.
 */
export function numeralsOf(source: string, symbols: readonly string[] = []): Numeral[] {
  const text = plainDigits(source);
  if (!mayHoldNumber(text)) return [];
  const found = [...digitNumerals(text, symbols), ...wordNumerals(text)].sort((a, b) => a.index - b.index);
  const read = [...inPairs(text, found), ...unitsAlone(text, found)].sort((a, b) => a.index - b.index);
  return read.filter(({ value, text: said }) => value === null || !/^one$/i.test(said));
}

const endOf = ({ index, text }: Numeral): number => index + text.length;

/** Two numbers that are read together: `70 to 75 %` is two percentages, `3/4` and `one in four` are ratios. */
function inPairs(text: string, numerals: readonly Numeral[]): Numeral[] {
  const read = [...numerals];
  for (const [at, second] of numerals.entries()) {
    const first = numerals[at - 1];
    if (first === undefined || first.unit !== 'none') continue;
    const between = text.slice(endOf(first), second.index) + (second.sign ?? '');
    if (second.unit !== 'none' && /^\s?(?:-|to|or)\s?$/i.test(between))
      read[at - 1] = { ...first, unit: second.unit, symbol: second.symbol };
    if (second.unit === 'none' && /^(?::|\s?[/⁄]\s?|\s(?:out of|in|for|per)(?: every)?\s)$/i.test(between)) {
      read[at - 1] = { ...first, value: null };
      read[at] = { ...second, value: null };
    }
  }
  return read;
}

/** `ninty percent`: a unit whose number is not read as one. */
function unitsAlone(text: string, numerals: readonly Numeral[]): Numeral[] {
  let next = 0;
  let readTo = 0;
  // Both are in the order of the text: each numeral is looked at once.
  const isRead = (from: number, to: number) => {
    for (let each = numerals[next]; each !== undefined && each.index < to; each = numerals[next]) {
      readTo = Math.max(readTo, endOf(each));
      next += 1;
    }
    return readTo > from;
  };
  return [...text.matchAll(unitAlone)]
    .filter(({ index, 0: said }) => !isRead(index, index + said.length))
    .map(({ index, 0: said }) => ({ ...unread, text: said, index, unit: 'percent' as const }));
}
/** Begins only where a run of letters and apostrophes does, or behind the digits in it: else each place of a run reads all of it. */
const unitAlone =
  /(?:(?<![\p{L}\p{Nd}'])|(?<=\p{Nd}\p{L}*'))(?!(?:in|as|of|a|the|to|or|and|per|few|some|by)[ -])[\p{L}']+[ -]{1,2}(?:%|percent|per[ -]cent|pct|bps|basis points?)(?![\p{L}\p{Nd}])/giu;
const unread = { value: null, places: 0, shift: 0, symbol: null, sign: null } as const;

/** Longer than any number of a chain with its separators; computing with more digits would cost more than their count. */
const longestNumber = 120;
const isPlain = (number: string): boolean => /^(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?$/.test(number);
const gap = '(?:[ \\t]*(?:\\n[ \\t]*)?|[ \\t]?[-(\\[][ \\t]?)';

/** The dash of a list is no sign. */
function digitPattern(symbols: readonly string[]): RegExp {
  const symbolPattern = symbols.length === 0 ? '(?!)' : longestFirst(symbols);
  return new RegExp(
    [
      `(?:(?<![\\p{L}\\p{Nd}])(?<before>${symbolPattern}|${longestFirst(leading)})[ -]?)?`,
      '(?<sign>(?<![\\p{L}\\p{Nd}])(?:[-+](?!\\s)|[-+](?<!(?:^|\\n)[ \\t]*[-+])))?\\s?(?<usd>US\\$|\\$)?(?<inner>-)?',
      "(?<number>0x[0-9a-f]{2,}(?:…[0-9a-f]+)?|(?:\\d+|\\.\\d+)(?:[.,'’_·٫٬ ]\\d+)*)(?:e(?<exponent>[+-]?\\d{1,3})(?![\\p{L}\\p{Nd}]))?",
      `(?:[ -]?(?<shift>${shiftPattern})(?![\\p{L}\\p{Nd}]))?`,
      `(?:${gap}(?:(?<symbol>${symbolPattern})|(?<unit>${unitPattern}))(?![\\p{L}\\p{Nd}]))?`,
    ].join(''),
    'dgiu',
  );
}
const patterns = new Map<string, RegExp>();
const mostPatterns = 500;

/** One vault has few symbols, and is read many times. */
function patternFor(symbols: readonly string[]): RegExp {
  const key = symbols.join(' ');
  const pattern = patterns.get(key) ?? digitPattern(symbols);
  if (patterns.size >= mostPatterns) patterns.clear();
  patterns.set(key, pattern);
  return pattern;
}

function digitNumerals(text: string, symbols: readonly string[]): Numeral[] {
  const isSymbol = (name: string) => symbols.some((symbol) => symbol.toLowerCase() === name.toLowerCase());
  return [...text.matchAll(patternFor(symbols))].map((match) => {
    const { before, sign, inner, usd, number = '0', exponent = '0', shift, symbol, unit } = match.groups ?? {};
    const plain = number.replaceAll(',', '').replace(/^\./, '0.');
    const power = (shift === undefined ? 0 : (shifts[shift.toLowerCase()] ?? 0)) + Number(exponent);
    const isNegative = (sign ?? inner) === '-';
    const end = match.index + match[0].length;
    const { groups: at } = match.indices ?? {};
    const numberAt = at?.number?.[0] ?? match.index;
    // A unit in front may be the one of the number before.
    const from = (at?.sign ?? at?.usd ?? at?.inner)?.[0] ?? numberAt;
    const ticker = /^[ \t]?([A-Z][A-Z0-9]{1,9})(?![\p{L}\p{Nd}])/u.exec(text.slice(end, end + 14))?.[1];
    const named = symbol ?? unit ?? usd ?? before;
    const isForeign = named === undefined && ticker !== undefined && !acronyms.has(ticker);
    const said = named === undefined || !isSymbol(named) ? null : named;
    const kind = named === undefined ? 'none' : usd !== undefined && named === usd ? 'usd' : units[named.toLowerCase()];
    const isTwoUnits =
      usd !== undefined && (symbol !== undefined || (unit !== undefined && units[unit.toLowerCase()] !== 'usd'));
    // `l00` and `1OO` are read as numbers by people, and `1.000,5` differently by different people.
    const isGlued =
      (before === undefined && /\p{L}$/u.test(text.slice(Math.max(0, numberAt - 2), numberAt))) ||
      (named === undefined && shift === undefined && /^\p{L}/u.test(text.slice(end, end + 2)));
    const isRead = number.length <= longestNumber && isPlain(number) && !isTwoUnits && !isGlued;
    return {
      text: text.slice(from, end).trim(),
      index: from,
      value: isRead ? decimalOf(`${isNegative ? '-' : ''}${plain}`) : null,
      places: plain.includes('.') ? plain.length - plain.indexOf('.') - 1 : 0,
      shift: power,
      unit: said !== null ? 'symbol' : isForeign ? 'other' : (kind ?? 'none'),
      symbol: said,
      sign: isNegative ? '-' : sign === '+' ? '+' : null,
    };
  });
}

const wordRun = `(?:${longestFirst([...wordValue.keys(), ...large, 'and', 'a', 'point'])})`;
const wordPattern = new RegExp(
  `(?<![\\p{L}\\p{Nd}])(?<words>${wordRun}(?:[ -]${wordRun})*)(?:[ -](?<unit>${unitPattern}))?(?![\\p{L}\\p{Nd}])|(?<![\\p{L}\\p{Nd}])(?<ratio>${longestFirst([...ratioWords.keys()])})(?![\\p{L}\\p{Nd}])`,
  'giu',
);

function wordNumerals(text: string): Numeral[] {
  const found: Numeral[] = [];
  for (const match of text.matchAll(wordPattern)) {
    const { words: said, unit, ratio } = match.groups ?? {};
    const common = { text: match[0], index: match.index, shift: 0, symbol: null, sign: null } as const;
    if (ratio !== undefined) {
      const value = ratioWords.get(ratio.toLowerCase()) ?? null;
      found.push({ ...common, value: value === null ? null : decimalOf(value), places: 6, unit: 'times' });
      continue;
    }
    // The size of a number in digits was read with it.
    if (
      /\d[ -]?$/.test(text.slice(Math.max(0, match.index - 2), match.index)) &&
      large.includes(said?.toLowerCase() ?? '')
    )
      continue;
    const value = valueOfWords(said?.toLowerCase() ?? '');
    if (value === undefined) continue;
    const kind = unit === undefined ? 'none' : (units[unit.toLowerCase()] ?? 'none');
    found.push({ ...common, value: value === null ? null : { digits: value, scale: 0 }, places: 0, unit: kind });
  }
  return found;
}

/** `forty-two thousand` is 42 000; null for what nobody would write (`twelve thirteen`), undefined when no word is a number. */
function valueOfWords(said: string): bigint | null | undefined {
  let total = 0;
  let current = 0;
  let seen = false;
  let isOdd = false;
  let last = Number.POSITIVE_INFINITY;
  for (const word of said.split(/[ -]/)) {
    const value = wordValue.get(word);
    const isLarge = large.includes(word);
    if (word === 'point') isOdd = true;
    if (value === undefined && !isLarge) continue;
    if (isLarge) {
      // Without a number in front it says no amount that could be compared.
      if (current === 0) isOdd = true;
      total += current * 10 ** (shifts[word] ?? 0);
      current = 0;
    } else if (value === 100 || (value === 12 && word === 'dozen')) current = Math.max(current, 1) * value;
    else {
      const goesOn =
        last === Number.POSITIVE_INFINITY || (last >= 20 && last % 10 === 0 && last < 100 && Number(value) < 10);
      if (!goesOn) isOdd = true;
      current += value ?? 0;
    }
    last = isLarge || value === 100 || word === 'dozen' ? Number.POSITIVE_INFINITY : Number(value);
    seen = true;
  }
  if (!seen) return undefined;
  // `hundred hundred hundred …` ends beyond every number that is exact, and at last at infinity.
  return isOdd || !Number.isSafeInteger(total + current) ? null : BigInt(total + current);
}
