import type { VaultContext } from '../../context/vault-context.ts';
import { elsewhere } from './common-words.ts';
import { type Outside, outsideOf } from './decline-reason.ts';
import { expressions } from './expressions.ts';
import { canonicalOf, respelled } from './vocabulary.ts';

/** A length of time that figures are given for; `other` is one that none is given for. */
export type Window = 'h24' | 'd7' | 'd30' | 'd90' | 'since_inception' | 'current' | 'today' | 'other';

/** A question as the recogniser reads it. */
export type ReadQuestion = {
  /** Words with a meaning, as the intents know them. */
  words: ReadonlySet<string>;
  /** How many words are known neither to the analyst nor to the vault. */
  unknown: number;
  /** Other products, chains and coins that are named. */
  isElsewhere: boolean;
  /** The first of the times that are named. */
  window: Window | null;
  /** Each time that is named, as often as it is another one. */
  windows: readonly Window[];
  outside: Outside | null;
  /** It asks what happened: `did …`. */
  isPast: boolean;
  /** Yield source of the vault that is named, as its place in the allocation. */
  source: number | null;
  largest: number | null;
  hours: number | null;
  /** It goes on from the question before it: `and …`, `what about …`. */
  isMore: boolean;
};

const span = (days: string, words: string) =>
  new RegExp(
    `\\b(?:over |in |for )?(?:the |a )?(?:whole |full |entire )?(?:last |past |this |previous |prior |trailing |current )?(?:(?:${days})[ -]?d(?:ays?)?|${words})\\b`,
    'g',
  );
const windows: readonly (readonly [Exclude<Window, 'other'>, RegExp])[] = [
  [
    'h24',
    /\b(?:over |in )?(?:the )?(?:last |past |trailing )?(?:24[ -]?h(?:ours?|rs?)?|(?:last|past|this|the) day|daily|1 ?d)\b/g,
  ],
  ['d7', span('7|seven', '(?:one |1 )?week|weekly|1 ?w|wk')],
  ['d30', span('30|thirty', '(?:one |1 |four weeks|4 weeks)?month|monthly|1 ?m|mtd|four weeks|4 weeks')],
  ['d90', span('90|ninety', 'quarter|quarterly|(?:three|3)[ -]?m(?:onths?)?|1 ?q')],
  [
    'since_inception',
    /\b(?:since |from )?(?:the )?(?:vault )?(?:inception|launch|start of the vault|(?:very )?beginning|day one|day 1)\b|\ball[ -]?time\b|\blife ?time\b|\bsince (?:it|we|the vault) (?:started|launched|went live)\b/g,
  ],
  ['today', /\btoday\b/g],
  ['current', /\b(?:current|right now|rn|now|currently|at the moment|at present)\b/g],
];
const otherWindow =
  /\b(?:\d+|two|three|four|five|six|twelve)[ -]?(?:d|days?|w|weeks?|months?|mo|y|yrs?|years?)\b|\b(?:last|past|this|a|per|full) year\b|\bytd\b|\byear to date\b|\b(?:hourly|(?:last|past|this) (?:hour|weekend|minutes?))\b/g;
/** Time that is still to come, of which no figure is given. */
const ahead = /\b(?:another|one more|a further|(?:the )?next) (?:\d+ |few )?(?:days?|weeks?|months?|quarter|years?)\b/g;
/** "Over 30", which is a time only where the question before it was about one. */
const bareDays = /^(?:over|for|in)? ?(?:the )?(?:last |past )?(7|30|90)$/;
const ofBareDays: Readonly<Record<string, Window>> = { '7': 'd7', '30': 'd30', '90': 'd90' };

const numberIn = (text: string, what: RegExp): number | null => {
  const said = what.exec(text)?.slice(1).find(Boolean);
  return said === undefined ? null : (numberWords[said] ?? Number(said));
};
const numberWords: Readonly<Record<string, number>> = {
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  ten: 10,
  twenty: 20,
};
const counted = `\\d{1,3}|${Object.keys(numberWords).join('|')}`;
const largest = new RegExp(
  `\\b(${counted}) (?:largest|biggest|top|large)\\b|\\b(?:largest|biggest|top)[- ]?(${counted})\\b`,
);
const hours = /\b(\d{1,3}) ?h(?:ours?|rs?)?\b/;
const more = /^(?:and|also|what about|how about|ok and|but)\b/;

const wordsOf = (text: string): string[] =>
  (text.match(/\p{L}[\p{L}\p{N}']*|\d[\p{L}\p{N}.,%]*/gu) ?? []).map((word) => word.replace(/'s?$/, ''));
const isSpelledNumber = (word: string): boolean => /^(?:seven|eight|nine|twelve|thirty|sixty|ninety)$/.test(word);
const isNumber = (word: string): boolean =>
  /^\d[\d.,]*(?:%|k|m|bps|x)?$/.test(word) || Object.hasOwn(numberWords, word) || isSpelledNumber(word);

/** Takes the times out of a text, in the order of the table; a bare "now" beside another time says nothing. */
function windowsIn(text: string, isMore: boolean): { windows: Window[]; left: string } {
  let left = text.replaceAll(ahead, ' ');
  const found: Window[] = [];
  for (const [name, pattern] of windows) {
    if (left.search(pattern) >= 0) found.push(name);
    left = left.replaceAll(pattern, ' ');
  }
  if (left.search(otherWindow) >= 0) found.unshift('other');
  left = left.replaceAll(otherWindow, ' ');
  const bare = isMore
    ? bareDays.exec(
        left
          .replace(more, '')
          .replaceAll(/[^\w ]/g, '')
          .trim(),
      )?.[1]
    : undefined;
  if (bare !== undefined) return { windows: [ofBareDays[bare] ?? 'other'], left: '' };
  const past = found.filter((name) => name !== 'current' && name !== 'today');
  return { windows: past.length === 0 ? found.slice(0, 1) : past, left };
}

/** The yield source a question names: by a word of its name that stands in no other name and means nothing else. */
function sourceIn(said: readonly string[], { detail }: VaultContext) {
  const names = detail.allocation.map(({ name, kind }) => (kind === 'idle' ? [] : wordsOf(name.toLowerCase())));
  const isName = (word: string) =>
    word.length > 2 && canonicalOf(word) === undefined && word !== detail.asset.symbol.toLowerCase();
  const named = names.flatMap((name, index) =>
    name.some((word) => isName(word) && said.includes(word)) ? [index] : [],
  );
  const [source] = named;
  return {
    source: named.length === 1 && source !== undefined ? source : null,
    isNamed: named.length > 0,
    ofNames: new Set(named.flatMap((index) => names[index] ?? [])),
  };
}

/** The token that pays for prices, by its symbol: in capitals, because it may be a word such as "up". */
function withUpkeepToken(text: string, { detail }: VaultContext): string {
  const { symbol } = detail.upkeep_info;
  if (symbol === null || symbol.length < 2 || text === text.toUpperCase()) return text;
  return wordsOf(text).includes(symbol) ? text.replaceAll(symbol, ' upkeep ') : text;
}

/** Words of the names of the vault, its asset and its sources. */
const namesOf = ({ detail }: VaultContext): ReadonlySet<string> =>
  new Set(
    [detail.asset.symbol, detail.symbol, detail.name, ...detail.allocation.map(({ name }) => name)].flatMap((name) =>
      wordsOf(name.toLowerCase()),
    ),
  );

/** Reads a question: what is asked for, over which time, and how much of it is understood. Words are looked up, never followed. */
export function readQuestion(text: string, context: VaultContext): ReadQuestion {
  const own = namesOf(context);
  const typed = withUpkeepToken(text, context)
    .toLowerCase()
    .replaceAll(/[\u2018\u2019`]/g, "'")
    .trim();
  const lower = respelled(typed, (word) => own.has(word) || elsewhere.has(word) || isSpelledNumber(word));
  const plain = expressions.reduce((said, [pattern, word]) => said.replaceAll(pattern, ` ${word} `), lower);
  const counts = { largest: numberIn(plain, largest), hours: numberIn(plain, hours) };
  const isMore = more.test(lower);
  const found = windowsIn(plain.replace(largest, ' large '), isMore);
  const said = wordsOf(found.left.replace(hours, ' hour '));
  const { source, isNamed, ofNames } = sourceIn(said, context);
  const symbol = context.detail.asset.symbol.toLowerCase();
  const words = new Set<string>(isNamed ? [source === null ? 'source' : 'onesource'] : []);
  let unknown = 0;
  let isElsewhere = /\bon (?:base|near)\b/.test(lower);
  for (const word of said) {
    if (ofNames.has(word) || (/^vault/.test(word) && word !== 'vaults')) continue;
    if (elsewhere.has(word) && !own.has(word)) isElsewhere = true;
    const known = isNumber(word)
      ? 'number'
      : (canonicalOf(word) ?? (own.has(word) ? (word === symbol ? 'symbol' : '') : undefined));
    if (known === undefined) unknown += 1;
    else if (known !== '') words.add(known);
  }
  return {
    words,
    unknown,
    isElsewhere,
    source,
    ...counts,
    isMore,
    windows: found.windows,
    window: found.windows[0] ?? null,
    outside: outsideOf(lower),
    isPast: /\b(?:did|has|was|were|had)\b/.test(plain),
  };
}
