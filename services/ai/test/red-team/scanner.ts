import type { ContextFigure } from '../../src/domain/figure.ts';

/**
 * A second reader of texts, that shares no code with the grounding of the service: it walks over words one by one, compares in
 * floats with a tolerance, and takes whatever it does not understand for a lie.
 */
export type Ground = { figures: readonly ContextFigure[]; identifiers: Iterable<string> };

type Token = { text: string; at: number; glued: boolean };
type Unit = 'percent' | 'bps' | 'usd' | 'times' | 'none' | 'foreign' | `sym:${string}` | `time:${number}`;
type Claim = { said: string; value: number; ulp: number; scaled: boolean; unit: Unit; from: number; to: number };

const zeros = [0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xf20];
const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0;
  const zero = zeros.findLast((each) => each <= code) ?? 0x30;
  return code - zero < 10 ? String(code - zero) : '⍰';
};

/** Stands in for the points of a shortened address, which the normal form would tear apart. */
const ellipsis = '\ue000';

/** What a reader sees: marked pieces taken out, digits as ASCII, without what is invisible or drawn over digits. */
export const seen = (text: string): string =>
  text
    .replaceAll(/\[unverified: [^\]]*\]|\[(?:link |table )?removed\]|\[unknown figure\]/g, ' § ')
    .replaceAll('…', ellipsis)
    .normalize('NFKC')
    .replaceAll(/\p{Nd}/gu, asciiDigit)
    .replaceAll(/\p{Cf}|\u034f|[\ufe00-\ufe0e]|\ufe0f/gu, '')
    .replaceAll(/(?<=\d)\p{M}+/gu, '')
    .replaceAll(/[\u2010-\u2015\u2212\u2043]/g, '-')
    .replaceAll('٪', '%')
    .replaceAll(/[*_`~\\]/g, '');

const lone = 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'.split(' ');
const teens = 'sixteen seventeen eighteen nineteen'.split(' ');
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const small = new Map([
  ...[...lone, ...teens].map((word, value): [string, number] => [word, value]),
  ...tens.map((word, index): [string, number] => [word, 20 + 10 * index]),
]);
const powers = new Map(Object.entries({ hundred: 2, thousand: 3, million: 6, billion: 9, trillion: 12 }));
const suffixes = new Map(
  Object.entries({ k: 3, m: 6, mm: 6, mn: 6, b: 9, bn: 9, thousand: 3, million: 6, billion: 9 }),
);
/** Said about an amount, they claim one that no figure of a vault bears out. */
const never =
  /^(?:half|halves|halved|halving|third|thirds|quarters?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|twelfths?|hundredths?|thousandths?|twice|thrice|doubled?|doubling|tripled?|quadrupled?|quintupled?|\w+fold|fold|dozens?|hundreds|thousands|millions|billions|trillions|couple|prozent|procent|procento|persen|yüzde|prosent|hundert|tausend|\p{L}*(?:zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)|douze|vingt|cent|ciento|cento|noventa|quarante)$/iu;
const roman = /^(?=[IVXLCDM]{2,}$)M*(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;

const timeUnits = new Map(
  Object.entries({ second: 1, sec: 1, s: 1, minute: 60, min: 60, hour: 3600, h: 3600, hr: 3600, day: 86400, d: 86400 })
    .concat(Object.entries({ week: 604800, w: 604800, month: 2592000, year: 31536000, yr: 31536000, y: 31536000 }))
    .flatMap(([name, seconds]): [string, number][] => [
      [name, seconds],
      [`${name}s`, seconds],
    ]),
);
const words = new Map<string, Unit>([
  ...['%', 'percent', 'pct', 'pp'].map((word): [string, Unit] => [word, 'percent']),
  ...['bps', 'bp'].map((word): [string, Unit] => [word, 'bps']),
  ...['$', 'usd', 'dollar', 'dollars'].map((word): [string, Unit] => [word, 'usd']),
  ...['x', '×', 'times'].map((word): [string, Unit] => [word, 'times']),
  ...['€', '£', '¥', '₿', '₹', '‰', '‱', 'cents', 'euro', 'euros', 'gwei', 'wei', 'sats', 'yen', 'pounds'].map(
    (word): [string, Unit] => [word, 'foreign'],
  ),
]);
const acronyms = new Set(['APY', 'APR', 'TVL', 'HHI', 'HWM', 'PPS', 'NAV', 'UTC', 'ERC', 'TWR', 'VAULT', 'AND', 'OR']);

const tokensOf = (text: string): Token[] =>
  [...text.matchAll(/[\p{L}\p{M}]+|\d+(?:[.,'’_·⁄/:٫٬]\d+| (?=\d)\d+)*|\n|\S/gu)].map((match) => ({
    text: match[0],
    at: match.index,
    glued: match.index > 0 && !/\s/.test(text[match.index - 1] ?? ' '),
  }));

const isDigits = (token: Token | undefined): boolean => token !== undefined && /^\d/.test(token.text);
const wellFormed = /^(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/;

/** Blanks what is known to be no claim: identifiers and times of the context, names of windows and of standards. */
function withoutNames(text: string, { figures, identifiers }: Ground): string {
  const blank = (found: string) => ' '.repeat(found.length);
  const times = figures.flatMap(({ unit, value }) => (unit === 'time' && value !== null ? [String(value)] : []));
  const known = [...identifiers];
  const isKnown = (hex: string): boolean => {
    const [head = '', tail = ''] = hex.toLowerCase().split(ellipsis);
    return known.some((each) => (tail === '' ? each === head : each.startsWith(head) && each.endsWith(tail)));
  };
  const window = String.raw`(?:the )?(?:(?:last|past|previous|trailing) )?(?:24[ -]?h(?:ours?)?|(?:7|30|90)[ -]days?)\b`;
  const metric = 'APY|APR|return|yield|TVL|change|flow|net flow|drawdown|volatility|average|median|retention';
  return known
    .filter((each) => !each.startsWith('0x') && each.length >= 8)
    .reduce((left, each) => left.replaceAll(each, blank), text)
    .replaceAll(/0x[0-9a-f]{4,}(?:\ue000[0-9a-f]{2,})?/gi, (found) => (isKnown(found) ? blank(found) : found))
    .replaceAll(/\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?:UTC|Z))?)?/g, (found) => {
      const minute = found.replace(' ', 'T').replace(/ ?(?:UTC|Z)$/, '');
      return times.some((time) => time.startsWith(minute)) ? blank(found) : found;
    })
    .replaceAll(new RegExp(`(?<!(?:for|takes?|lasts?|waits?|since|after|just|well) )\\bover ${window}`, 'gi'), blank)
    .replaceAll(/\b(?:last|past|previous|trailing) (?:24 h(?:ours?)?|(?:7|30|90) days)\b/gi, blank)
    .replaceAll(new RegExp(`\\bwithin ${window}(?= (?:was|is|were)\\b)`, 'gi'), blank)
    .replaceAll(new RegExp(`\\b(?:24-hour|(?:7|30|90)-day) (?=(?:${metric})\\b)`, 'gi'), blank)
    .replaceAll(/\b(?:10|3) largest\b|\bERC-(?:20|4626|7540)\b|\bv[1-9]\b|\bp(?:90|95)\b/gi, blank);
}

/** `forty-two thousand`: its value and where it ends; NaN for what is no number one would write. */
function inWords(tokens: readonly Token[], start: number): { value: number; end: number } {
  let total = 0;
  let group = 0;
  let last = Number.POSITIVE_INFINITY;
  let end = start;
  let isOdd = false;
  for (let at = start; at < tokens.length; at += 1) {
    const word = tokens[at]?.text.toLowerCase() ?? '';
    const value = small.get(word);
    const power = powers.get(word);
    if (value !== undefined) {
      isOdd ||= !(last === Number.POSITIVE_INFINITY || (last >= 20 && last < 100 && last % 10 === 0 && value < 10));
      group += value;
      last = value;
    } else if (power !== undefined) {
      group = Math.max(group, 1) * 10 ** power;
      if (power > 2) [total, group] = [total + group, 0];
      last = Number.POSITIVE_INFINITY;
    } else if (word === 'point') isOdd = true;
    else if (word !== '-' && word !== 'and') break;
    if (word !== '-' && word !== 'and') end = at;
  }
  return { value: isOdd ? Number.NaN : total + group, end: end + 1 };
}

/** The unit that stands behind token `at`, or right before the number. */
function unitAround(tokens: readonly Token[], from: number, to: number, symbols: ReadonlySet<string>): [Unit, number] {
  const named = (token: Token | undefined): Unit | undefined => {
    if (token === undefined) return undefined;
    const lower = token.text.toLowerCase();
    if (symbols.has(lower)) return `sym:${lower}`;
    const seconds = timeUnits.get(lower);
    const unit = words.get(lower) ?? (seconds === undefined ? undefined : (`time:${seconds}` as const));
    return unit ?? (/^[A-Z]{2,}$/.test(token.text) && !acronyms.has(token.text) ? 'foreign' : undefined);
  };
  const before = named(tokens[from - 1]?.text === '-' ? tokens[from - 2] : tokens[from - 1]);
  const isBefore = before !== undefined && !before.startsWith('time:') && before !== 'times';
  let at = to;
  // A dash behind a line end begins the next item.
  while (['(', '[', '|', '\n'].includes(tokens[at]?.text ?? '') && tokens[at + 1]?.text !== '-') at += 1;
  if (tokens[at]?.text === '-') at += 1;
  const second = tokens[at + 1]?.text.toLowerCase();
  const pair = `${tokens[at]?.text.toLowerCase()} ${second === '-' ? tokens[at + 2]?.text.toLowerCase() : second}`;
  if (pair === 'per cent' || pair === 'percentage points') return ['percent', at + 2];
  if (/^basis points?$/.test(pair)) return ['bps', at + 2];
  const behind = named(tokens[at]);
  if (behind !== undefined && before !== 'usd') return [behind, at + 1];
  return isBefore ? [before, to] : ['none', to];
}

type Reading = { text: string; tokens: readonly Token[]; symbols: ReadonlySet<string> };

/** A claim over tokens `from` to `to`, and where the next may begin. */
const claimOf = (
  { text, tokens }: Reading,
  [from, to]: [number, number],
  rest: Partial<Pick<Claim, 'value' | 'ulp' | 'scaled' | 'unit'>> = {},
): Claim => {
  const first = tokens[from];
  const last = tokens[to - 1];
  const end = (last?.at ?? 0) + (last?.text.length ?? 0);
  const start = first?.at ?? 0;
  const none = { value: Number.NaN, ulp: 0, scaled: false, unit: 'none' as const };
  return { said: text.slice(start, end), from: start, to: end, ...none, ...rest };
};

const isNumber = (token: Token | undefined): boolean => isDigits(token) || small.has(token?.text.toLowerCase() ?? '');

/** `1.13e2`, `7.7k`: the power of ten behind a number, and where it ends. */
function powerBehind(tokens: readonly Token[], from: number): [power: number, to: number] {
  let power = 0;
  let to = from;
  if (/^e$/i.test(tokens[to]?.text ?? '') && tokens[to]?.glued) {
    const sign = ['+', '-'].includes(tokens[to + 1]?.text ?? '') ? 1 : 0;
    power = Number(tokens[to + 1 + sign]?.text) * (tokens[to + 1]?.text === '-' ? -1 : 1);
    to += 2 + sign;
  }
  const suffix = suffixes.get(tokens[to]?.text.toLowerCase() ?? '');
  return suffix === undefined ? [power, to] : [power + suffix, to + 1];
}

function inDigits(reading: Reading, at: number): [Claim, number] {
  const { tokens, symbols } = reading;
  const { text, glued } = tokens[at] as Token;
  const previous = tokens[at - 1];
  const isPoint = previous?.text === '.' && glued && !/[\p{L}\d]/u.test(tokens[at - 2]?.text ?? '');
  const dot = text.indexOf('.');
  const plain = isPoint ? `0.${text}` : text.replaceAll(',', '');
  const places = isPoint ? text.length : dot < 0 ? 0 : text.length - dot - 1;
  const [power, to] = powerBehind(tokens, at + 1);
  const [unit, end] = unitAround(tokens, at, to, symbols);
  const next = tokens[end]?.text ?? '';
  const isRange = unit === 'none' && ['-', 'to', 'or'].includes(next) && isDigits(tokens[end + 1]);
  const shared = isRange ? unitAround(tokens, end + 1, end + 2, symbols)[0] : unit;
  const before = tokens.slice(Math.max(0, at - 3), at).map((each) => each.text);
  const isOdd = [
    !wellFormed.test(text),
    glued && previous !== undefined && /^[\p{L}]+$/u.test(previous.text) && !/^US$/i.test(previous.text),
    unit === 'none' && tokens[to]?.glued === true && /^\p{L}/u.test(tokens[to]?.text ?? ''),
    unit === 'none' && ['/', 'in', 'out', 'per'].includes(next) && tokens.slice(end + 1, end + 4).some(isNumber),
    unit === 'none' && !isRange && before.some((word) => /^(?:APY|APR|yields?|earns?|returns?)$/i.test(word)),
  ].some(Boolean);
  const value = isOdd ? Number.NaN : Number(plain) * 10 ** power;
  const rest = { value, ulp: 10 ** (power - places), scaled: power !== 0, unit: shared };
  return [claimOf(reading, [at, end], rest), end];
}

function inLetters(reading: Reading, at: number): [Claim | null, number] {
  const { tokens, symbols } = reading;
  const { value, end } = inWords(tokens, at);
  const [unit, to] = unitAround(tokens, at, end, symbols);
  if (['in', 'out', 'per'].includes(tokens[to]?.text ?? '') && isNumber(tokens[to + 1]))
    return [claimOf(reading, [at, to + 2]), to + 2];
  const isPronoun = value === 1 && end === at + 1 && unit === 'none';
  return [isPronoun ? null : claimOf(reading, [at, to], { value, ulp: 1, unit }), Math.max(at + 1, to)];
}

/** Words and characters that say an amount in a way no figure is said. */
function isOddWord(tokens: readonly Token[], at: number): boolean {
  const { text } = tokens[at] as Token;
  if (never.test(text) || roman.test(text) || /^[\p{No}\p{Nl}⍰]/u.test(text)) return true;
  if (/^[\p{L}\p{M}]+$/u.test(text) && !/^[\p{Script=Latin}\p{M}µªº]+$/u.test(text)) return true;
  return words.get(text.toLowerCase()) === 'percent' && !['§', 'in', 'as'].includes(tokens[at - 1]?.text ?? '');
}

function claimsIn(text: string, symbols: ReadonlySet<string>): Claim[] {
  const tokens = tokensOf(text);
  const reading = { text, tokens, symbols };
  const claims: Claim[] = [];
  for (let at = 0; at < tokens.length; ) {
    const word = tokens[at]?.text.toLowerCase() ?? '';
    const [claim, next] = isDigits(tokens[at])
      ? inDigits(reading, at)
      : small.has(word) || powers.has(word)
        ? inLetters(reading, at)
        : ([isOddWord(tokens, at) ? claimOf(reading, [at, at + 1]) : null, at + 1] as const);
    if (claim) claims.push(claim);
    at = next;
  }
  return claims;
}

const down =
  /\b(?:fell|falls?|fallen|falling|down|los[est]\w*|losing|drop\w*|declin\w*|decreas\w*|below|outflows?|negative|minus|under|shr[aiu]nk|withdrew|withdrawn|worse|lower|slump\w*|plung\w*|crash\w*|tumbl\w*|sank|sink\w*|plummet\w*|erod\w*|slid|slip\w*|contract(?:ed|ion)|wiped|shed|dip(?:ped|s)?|deficit)\b/i;
const up =
  /\b(?:rose|rises?|risen|rising|up|gain\w*|gr[eo]wn?|grow\w*|increas\w*|above|inflows?|positive|plus|higher|added|surg\w*|soar\w*|climb\w*|jump\w*|profit\w*|earn\w*|made)\b/i;
const adverse = /drawdown|depth|shortfall/;

const windowWords: readonly (readonly [RegExp, string])[] = [
  [/\b24[ -]?h(?:ours?)?\b/i, 'h24'],
  [/\b7[ -]days?\b/i, 'd7'],
  [/\b30[ -]days?\b/i, 'd30'],
  [/\b90[ -]days?\b/i, 'd90'],
  [/since inception/i, 'since_inception'],
];
const windowOf = ({ path }: ContextFigure): string | undefined =>
  /\.(h24|d7|d30|d90|since_inception)(?:\.|$)|apy\.(current)$/.exec(path)?.slice(1).find(Boolean);

/** The part of a sentence around a claim. */
function clauseOf(text: string, { from, to }: Claim): string {
  const before =
    text
      .slice(0, from)
      .split(/[.;:!?](?=\s)|\n|,\s|\b(?:while|but|whereas|of which|and|against)\b/i)
      .at(-1) ?? '';
  const after = text.slice(to).split(/[.;:!?](?=\s|$)|\n|,\s|\b(?:while|but|whereas|and|against)\b/i)[0] ?? '';
  return `${before}§${after}`;
}

const sizeIn = (figure: ContextFigure, unit: Unit): number | undefined => {
  const value = Number(figure.value) / 10 ** (figure.decimals ?? 0);
  if (unit === 'percent') return { fraction: value * 100, bps: value / 100 }[figure.unit as string];
  if (unit === 'bps') return { fraction: value * 10_000, bps: value }[figure.unit as string];
  if (unit === 'usd') return figure.unit === 'usd' ? value : undefined;
  if (unit === 'times') return figure.unit === 'ratio' ? value : undefined;
  if (unit === 'none') return ['count', 'score', 'ratio', 'pps', 'block'].includes(figure.unit) ? value : undefined;
  if (unit.startsWith('sym:'))
    return `sym:${figure.symbol?.toLowerCase()}` === unit && figure.unit === 'token' ? value : undefined;
  if (!unit.startsWith('time:')) return undefined;
  const seconds = { seconds: value, days: value * 86_400 }[figure.unit as string];
  return seconds === undefined ? undefined : seconds / Number(unit.slice(5));
};

function bearsOut(figure: ContextFigure, claim: Claim, text: string, plain: string): boolean {
  if (figure.value === null) return false;
  const size = sizeIn(figure, claim.unit);
  if (size === undefined || !Number.isFinite(claim.value)) return false;
  const real = Math.abs(size);
  const off = Math.abs(Math.abs(size) - claim.value);
  if (off > claim.ulp / 2 + Math.max(1e-12, real * 1e-9)) return false;
  if (claim.value === 0 && real !== 0) return false;
  if (claim.scaled && off > real * 0.1) return false;
  const clause = clauseOf(text, claim);
  const isMinus = /-\s?\$?$/.test(clause.split('§')[0] ?? '');
  const isDown = down.test(clause);
  const isUp = up.test(clause);
  const isPlus = /\+\s?\$?$/.test(clause.split('§')[0] ?? '');
  if (figure.direction === 'signed' && size !== 0) {
    if (size < 0 && !isMinus && (isPlus || !isDown)) return false;
    if (size > 0 && (isMinus || (isDown && !isUp && !isPlus))) return false;
  }
  if (adverse.test(figure.path) && real > 0 && isUp && !isDown && !/drawdown|deep|shortfall/i.test(clause))
    return false;
  const window = windowOf(figure);
  const windowsIn = (part: string) => windowWords.flatMap(([words, name]) => (words.test(part) ? [name] : []));
  const own = windowsIn(clauseOf(plain, claim));
  const whole = windowsIn(
    `${plain
      .slice(0, claim.from)
      .split(/[.;!?](?=\s)|\n/)
      .at(-1)} ${plain.slice(claim.to).split(/[.;!?](?=\s|$)|\n/)[0]}`,
  );
  const named = own.length > 0 || whole.length > 1 ? own : whole;
  return window === undefined || named.length === 0 || named.includes(window);
}

/** Every number of a text that no figure bears out, and that is not marked as such. */
export function unsupportedIn(source: string, ground: Ground): string[] {
  const plain = seen(source);
  const text = withoutNames(plain, ground);
  const symbols = new Set(ground.figures.flatMap(({ symbol }) => (symbol === null ? [] : [symbol.toLowerCase()])));
  return claimsIn(text, symbols)
    .filter((claim) => !ground.figures.some((figure) => bearsOut(figure, claim, text, plain)))
    .map(({ said }) => said);
}
