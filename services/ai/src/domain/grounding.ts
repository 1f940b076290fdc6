import { type Decimal, isNegative, negated, roundings } from './decimal.ts';
import { type ContextFigure, exactOf, type FigureUnit } from './figure.ts';
import { mayHoldNumber, type Numeral, type NumeralUnit, numeralsOf, plainDigits } from './numerals.ts';

/** `index` is where it stands in the text once {@link plainDigits} has read it. */
export type Ungrounded = {
  figure: string;
  context: string;
  reason: 'unknown' | 'unit' | 'sign' | 'window';
  index: number;
};
/** The numbers of a text, traced to figures or not. */
export type Grounding = {
  /** Figures of the context that the text quotes, each once, in the order of their first use. */
  cited: ContextFigure[];
  ungrounded: Ungrounded[];
};

/** How a unit of the text is made of a unit of the context: value x over / under. */
type Conversion = { over: bigint; under: bigint };
const as = (over: bigint, under = 1n): Conversion => ({ over, under });
const MINUTE = 60n;
const HOUR = 3_600n;
const DAY = 86_400n;

const conversions: Readonly<Record<FigureUnit, Partial<Record<NumeralUnit, Conversion>>>> = {
  fraction: { percent: as(100n), bps: as(10_000n) },
  bps: { bps: as(1n), percent: as(1n, 100n) },
  usd: { usd: as(1n) },
  token: { symbol: as(1n) },
  seconds: {
    seconds: as(1n),
    minutes: as(1n, MINUTE),
    hours: as(1n, HOUR),
    days: as(1n, DAY),
    weeks: as(1n, 7n * DAY),
    months: as(1n, 30n * DAY),
    years: as(1n, 365n * DAY),
  },
  days: { days: as(1n), weeks: as(1n, 7n), hours: as(24n) },
  count: { none: as(1n) },
  score: { none: as(1n) },
  ratio: { none: as(1n), times: as(1n) },
  pps: { none: as(1n), symbol: as(1n) },
  block: { none: as(1n) },
  time: {},
};

const falling =
  /\b(?:fell|falls?|fallen|falling|down|los[est]+|losing|drop(?:s|ped|ping)?|declin(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)|below|outflows?|negative|minus|under|shr[aiu]nk|withdr[ae]wn?|net withdrawals?|worse|cut|lower|slump(?:s|ed|ing)?|plung(?:e|es|ed|ing)|crash(?:es|ed|ing)?|tumbl(?:e|es|ed|ing)|s[aiu]nk(?:s|ing)?|plummet(?:s|ed|ing)?|erod(?:e|es|ed|ing)|slid|slides?|slip(?:s|ped|ping)?|contract(?:ed|ion)|shed|dip(?:s|ped|ping)?|deficit|slashed|wiped|evaporated|gave up|retreat(?:s|ed)?)\b/i;
const rising =
  /\b(?:rose|rise[sn]?|rising|up|gain(?:s|ed|ing)?|gr[eo]wn?|grows|growing|increas(?:e|es|ed|ing)|above|inflows?|positive|plus|higher|added|surg(?:e|es|ed|ing)|soar(?:s|ed|ing)?|climb(?:s|ed|ing)?|jump(?:s|ed|ing)?|earn(?:s|ed|ing)?|profit(?:s|ed)?)\b/i;
/** Figures that are bad news by their name: shown as a gain without that name they say the opposite. */
const adverse = /drawdown|depth|shortfall/;
const adverseWords = /\b(?:draw-?downs?|deep|depth|shortfall|lack)/i;

/**
 * The words of the same clause before and after a numeral: where the direction of a change is said. A point inside a number
 * ends no clause.
 */
function clauseAround(text: string, { index, text: said }: Numeral): string {
  const before =
    text
      .slice(Math.max(0, index - 120), index)
      .split(/[.;:!?](?=\s)|\n|, (?=\w+ing\b)|\bwhile\b|\bbut\b/i)
      .at(-1) ?? '';
  const after = text.slice(index + said.length, index + said.length + 25).split(/[.;:!?,](?=\s|$)|\n/)[0] ?? '';
  return `${before} ${after}`;
}

/** What the text says of the direction of a figure: by its sign, else by the words around it; null when neither does. */
function directionOf(text: string, numeral: Numeral): 'up' | 'down' | null {
  if (numeral.sign === '-') return 'down';
  if (numeral.sign === '+') return 'up';
  const clause = clauseAround(text, numeral);
  const isFalling = falling.test(clause);
  const isRising = rising.test(clause);
  return isFalling === isRising ? null : isFalling ? 'down' : 'up';
}

type Verdict = 'match' | 'sign' | 'unit' | 'window' | 'none';

const windowsSaid: readonly (readonly [words: RegExp, name: string])[] = [
  [/\b24[- ]?h(?:ours?)?\b/i, 'h24'],
  [/\b7[- ]?d(?:ays?)?\b/i, 'd7'],
  [/\b30[- ]?d(?:ays?)?\b/i, 'd30'],
  [/\b90[- ]?d(?:ays?)?\b/i, 'd90'],
  [/\bsince inception\b/i, 'since_inception'],
];
/** `now` is never the name of a length of time: what it names may not be written as one. */
const windowOf = ({ path }: ContextFigure): string | undefined =>
  /\.(h24|d7|d30|d90|since_inception)(?:\.|$)|\bapy\.(current)$/.exec(path)?.slice(1).find(Boolean);
const windowsIn = (text: string): string[] => windowsSaid.flatMap(([words, name]) => (words.test(text) ? [name] : []));
const clauseEnd = /[.;:!?](?=\s|$)|\n|,\s|\b(?:while|but|and|against)\b/i;
const sentenceEnd = /[.;!?](?=\s|$)|\n/;
/** No clause is followed further than this: a text of numbers without an end of a sentence would cost its square. */
const longestClause = 1_200;
function around(text: string, { index, text: said }: Numeral, end: RegExp): string {
  const from = Math.max(0, index - longestClause);
  const to = index + said.length;
  return `${text.slice(from, index).split(end).at(-1)} ${text.slice(to, to + longestClause).split(end)[0]}`;
}

/** Windows a text gives for a number: of its clause, else the only one of its sentence; none when it gives none. */
function windowsFor(text: string, numeral: Numeral): readonly string[] {
  const own = windowsIn(around(text, numeral, clauseEnd));
  if (own.length > 0) return own;
  const whole = windowsIn(around(text, numeral, sentenceEnd));
  return whole.length === 1 ? whole : [];
}

const sameSymbol = (a: string | null, b: string | null): boolean => a?.toLowerCase() === b?.toLowerCase();

/** `$0.01M` for 7 714 is rounded to its places and says a third more: a suffix may cost a twentieth at most. */
const mostLost = 20n;
/** What is not nothing to so many places is not rounded to nothing. */
const placesOfNothing = 18;

function isRounded(exact: Decimal, { over, under }: Conversion, { value, places, shift }: Numeral): boolean {
  if (value === null) return false;
  const magnitude = value.digits < 0n ? -value.digits : value.digits;
  const scaleTo = places > value.scale ? 10n ** BigInt(places - value.scale) : 1n;
  const shifted = shift >= 0 ? under * 10n ** BigInt(shift) : under;
  const overShifted = shift < 0 ? over * 10n ** BigInt(-shift) : over;
  const positive = isNegative(exact) ? negated(exact) : exact;
  if (magnitude === 0n && !roundings(positive, over, under, placesOfNothing).includes(0n)) return false;
  if (!roundings(positive, overShifted, shifted, Math.max(places, value.scale)).includes(magnitude * scaleTo))
    return false;
  if (shift === 0) return true;
  const said = magnitude * shifted * 10n ** BigInt(positive.scale);
  const real = positive.digits * overShifted * 10n ** BigInt(value.scale);
  return (said > real ? said - real : real - said) * mostLost <= real;
}

/** `The APY is 70.`: the reader adds the unit. */
const isBareRate = (text: string, { index, text: said, unit }: Numeral): boolean =>
  unit === 'none' &&
  /\b(?:apy|apr|yields?|yielded|returns?|returned|earns?|earned|interest|rate)(?:\s+\w+){0,2}[\s:=~]+$/i.test(
    text.slice(Math.max(0, index - 50), index),
  ) &&
  /^\s*(?:[.,;!?]|$|\n|(?:a|per) (?:year|annum|month|week|day)|p\.?a\b|annual|yearly)/i.test(
    text.slice(index + said.length),
  );

type Said = { numeral: Numeral; direction: ReturnType<typeof directionOf>; windows: readonly string[]; clause: string };

function verdictOn({ numeral, direction, windows, clause }: Said, figure: ContextFigure): Verdict {
  const exact = exactOf(figure);
  if (exact === null) return 'none';
  const conversion = conversions[figure.unit][numeral.unit];
  const hasUnit = conversion !== undefined && (numeral.unit !== 'symbol' || sameSymbol(figure.symbol, numeral.symbol));
  if (!hasUnit || !isRounded(exact, conversion, numeral)) {
    const swapped = Object.values(conversions[figure.unit]).some((other) => isRounded(exact, other, numeral));
    return swapped ? 'unit' : 'none';
  }
  const window = windowOf(figure);
  if (window !== undefined && windows.length > 0 && !windows.includes(window)) return 'window';
  if (exact.digits === 0n) return numeral.sign === '-' ? 'sign' : 'match';
  if (figure.direction === 'magnitude') {
    const isPraised = direction === 'up' && adverse.test(figure.path) && !adverseWords.test(clause);
    return numeral.sign === '-' || isPraised ? 'sign' : 'match';
  }
  if (isNegative(exact)) return direction === 'down' ? 'match' : 'sign';
  return direction === 'down' ? 'sign' : 'match';
}

const windowLength =
  '(?:the\\s+)?(?:(?:last|past|trailing|previous)\\s+)?(?:24[- ]?h(?:ours?)?|(?:7|30|90)[- ]?d(?:ays?)?)\\b';
const metric =
  '(?:APY|APR|returns?|yield|TVL|change|net flow|flow|drawdown|volatility|average|median|high|low|retention|deposits)\\b';
/**
 * Names of windows, ranks and standards that are no figures: `over 7 days`, `30-day APY`, `10 largest`, p95, ERC-4626. A length of
 * time that something takes (`for 30 days`, `within 7 days`) is a figure.
 */
const windowName = new RegExp(
  [
    '\\b(?:ERC|EIP|RFC|OCR)-?\\d+\\b|\\bv[1-9]\\b|\\btop[- ](?:3|10)\\b|\\b(?:3|10) largest\\b|\\bp(?:50|90|95|99)\\b',
    '\\b(?:50|90|95|99)(?:th)? percentile\\b',
    `(?<!\\b(?:for|takes?|taking|lasts?|lasting|waits?|waiting|after|well|just|since|by)\\s)\\bover\\s+${windowLength}`,
    `\\b(?:last|past|trailing|previous)\\s+${windowLength}`,
    `\\bwithin\\s+${windowLength}(?=\\s+(?:was|were|is)\\b)`,
    `\\b(?:24[- ]?h(?:our)?|(?:7|30|90)[- ]?d(?:ay)?)(?=\\s${metric})`,
    `(?<=\\b${metric}[ (]{1,2})(?:24h|(?:7|30|90)d)\\b`,
  ].join('|'),
  'gi',
);
const identifier = /0x[0-9a-f]{4,64}(?:…[0-9a-f]{2,8})?/gi;
const isoTime = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?(?:Z|UTC))?)?/g;
const clock = /\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?UTC)?\b/g;

const blank = (length: number) => ' '.repeat(length);

/** Takes out what is known to be no figure, and what is a time or an identifier of the context; keeps every place. */
function withoutNames(text: string, figures: readonly ContextFigure[], identifiers: ReadonlySet<string>): string {
  const times = figures
    .filter(({ unit, value }) => unit === 'time' && value !== null)
    .map(({ value }) => String(value));
  const isKnownTime = (said: string) => {
    const plain = said.replace(' ', 'T').replace(/T?\s?(?:Z|UTC)$/, '');
    return times.some((time) => time.startsWith(plain));
  };
  const isKnownClock = (said: string) => {
    const plain = said.replace(/\s?UTC$/, '').padStart(5, '0');
    return times.some((time) => time.slice(11).startsWith(plain));
  };
  const isKnownIdentifier = (said: string) => {
    const [head = '', tail = ''] = said.toLowerCase().split('…');
    return [...identifiers].some((each) =>
      tail === '' ? each === head : each.startsWith(head) && each.endsWith(tail),
    );
  };
  const names = [...identifiers].filter((each) => each.length >= 8 && !each.startsWith('0x'));
  return names
    .reduce((left, name) => left.replaceAll(name, blank(name.length)), text)
    .replaceAll(identifier, (said) => (isKnownIdentifier(said) ? blank(said.length) : said))
    .replaceAll(isoTime, (said) => (isKnownTime(said) ? blank(said.length) : said))
    .replaceAll(clock, (said) => (isKnownClock(said) ? blank(said.length) : said))
    .replaceAll(windowName, (said) => said.replaceAll(/\d/g, ' '));
}

/**
 * Traces every number of a text to a figure of the context: rightly rounded, in its own unit, with its own sign. What cannot be
 * traced is listed, with the reason: the value is there in another unit, or with the other sign, or not at all.
 * @param identifiers - Addresses and hashes the context holds, in lower case; they may stand in a text whole or shortened. Ids of
 *   other kinds only as they are.
 */
export function groundingOf(
  source: string,
  figures: readonly ContextFigure[],
  identifiers: ReadonlySet<string> = new Set(),
): Grounding {
  const plain = plainDigits(source);
  if (!mayHoldNumber(plain)) return { cited: [], ungrounded: [] };
  const symbols = [...new Set(figures.flatMap(({ symbol }) => (symbol === null ? [] : [symbol])))];
  const text = withoutNames(plain, figures, identifiers);
  const cited = new Set<ContextFigure>();
  const ungrounded: Ungrounded[] = [];
  for (const numeral of numeralsOf(text, symbols)) {
    const isRead = numeral.value !== null && !isBareRate(text, numeral);
    const said: Said = {
      numeral,
      direction: directionOf(text, numeral),
      windows: windowsFor(plain, numeral),
      clause: clauseAround(text, numeral),
    };
    const isOfUnit = ({ unit }: ContextFigure) => conversions[unit][numeral.unit] !== undefined;
    const match = isRead
      ? figures.find((figure) => isOfUnit(figure) && verdictOn(said, figure) === 'match')
      : undefined;
    if (match) {
      cited.add(match);
      continue;
    }
    const verdicts = new Set(figures.map((figure) => verdictOn(said, figure)));
    const reason = (['sign', 'window', 'unit'] as const).find((each) => verdicts.has(each));
    const from = Math.max(0, numeral.index - 30);
    const context = text.slice(from, numeral.index + numeral.text.length + 30).trim();
    ungrounded.push({ figure: numeral.text, context, reason: reason ?? 'unknown', index: numeral.index });
  }
  return { cited: [...cited], ungrounded };
}
