import type { VaultContext } from '../../context/vault-context.ts';
import { canonicalOf, expressions, respelled } from './vocabulary.ts';

/** A length of time that figures are given for; `other` is one that none is given for. */
export type Window = 'h24' | 'd7' | 'd30' | 'd90' | 'since_inception' | 'current' | 'today' | 'other';

/** Why a question is declined whatever it is about. */
export type Outside = 'future' | 'advice' | 'own' | 'past' | 'meaning';

/** A question as the recogniser reads it. */
export type ReadQuestion = {
  /** Words with a meaning, as the intents know them. */
  words: ReadonlySet<string>;
  /** How many words are known neither to the analyst nor to the vault. */
  unknown: number;
  window: Window | null;
  outside: Outside | null;
  /** Yield source of the vault that is named, as its place in the allocation. */
  source: number | null;
  largest: number | null;
  hours: number | null;
};

const span = (days: string, words: string) =>
  new RegExp(
    `\\b(?:over )?(?:the |a )?(?:last |past |this |previous |trailing |current )?(?:(?:${days})[ -]?d(?:ays?)?|${words})\\b`,
    'g',
  );
const windows: readonly (readonly [Exclude<Window, 'other'>, RegExp])[] = [
  ['h24', /\b(?:over |in )?(?:the )?(?:last |past |trailing )?(?:24[ -]?h(?:ours?|rs?)?|(?:last|past) day|daily)\b/g],
  ['d7', span('7|seven', '(?:one |1 )?week|weekly|1 ?w')],
  ['d30', span('30|thirty', '(?:one |1 )?month|monthly|1 ?m')],
  ['d90', span('90|ninety', 'quarter|quarterly|(?:three|3)[ -]?m(?:onths?)?')],
  [
    'since_inception',
    /\b(?:since |from )?(?:the )?(?:inception|launch|start of the vault|beginning)\b|\ball[ -]?time\b|\blife ?time\b/g,
  ],
  ['today', /\btoday\b/g],
  ['current', /\b(?:right now|rn|currently|at the moment|at present)\b/g],
];
const otherWindow =
  /\b(?:\d+|two|three|four|five|six|twelve)[ -]?(?:d|days?|w|weeks?|months?|y|yrs?|years?)\b|\b(?:last|past|this|a|per|full) year\b|\bytd\b|\byear to date\b/g;

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const outsides: readonly (readonly [Outside, RegExp])[] = [
  [
    'advice',
    /\bshould (?:i|we|you|they|the)\b|\bwould you\b|\brecommend|\badvi[cs]e\b|\bgood (?:time|idea|investment|moment)\b|\bworth (?:it|buying|investing)\b|\bbetter (?:to|off)\b|\b(?:buy|sell|invest)\b/,
  ],
  [
    'future',
    new RegExp(
      `\\bwill\\b|'ll\\b|\\bgoing to\\b|\\bgonna\\b|\\bpredict|\\bforecast|\\bproject(?:ed|ion)|\\boutlook\\b|\\bnext (?:week|month|quarter|year|days?)\\b|\\b(?:coming|upcoming) (?:days?|weeks?|months?)\\b|\\btomorrow\\b|\\bsoon\\b|\\bby the end of\\b|\\bin (?:the )?future\\b|\\bexpect(?:ed|s)? to\\b|\\b(?:for|by|until) (?:${months})\\b`,
    ),
  ],
  [
    'own',
    /\bmy (?:own )?(?:deposits?|balance|profits?|shares?|position|pnl|p&l|money|wallet|stake|returns?|earnings|loss(?:es)?|gains?)\b|\b(?:do|did|have) i (?:hold|have|own|make|made|earn|earned|lose|lost|get)\b/,
  ],
  ['meaning', /\bstands? for\b|\bwhat does .+ mean\b|\bdefin(?:e|es|ed|ition)\b|\bmeaning of\b/],
  [
    'past',
    new RegExp(
      `\\byesterday\\b|\\b(?:in|on|during|since|of) (?:early |late |mid )?(?:${months})\\b|\\b\\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:${months})\\b|\\b(?:${months}) \\d|\\bon \\d|\\bago\\b|\\b20\\d\\d\\b|\\b(?:last|on) (?:mon|tues|wednes|thurs|fri|satur|sun)day\\b`,
    ),
  ],
];

const numberIn = (text: string, what: RegExp): number | null => {
  const said = what.exec(text)?.slice(1).find(Boolean);
  return said === undefined ? null : (numberWords[said] ?? Number(said));
};
const numberWords: Readonly<Record<string, number>> = { three: 3, five: 5, ten: 10 };
const largest = /\b(\d{1,3}|three|five|ten) (?:largest|biggest|top)\b|\btop[- ]?(\d{1,3}|three|five|ten)\b/;
const hours = /\b(\d{1,3}) ?h(?:ours?|rs?)?\b/;

const wordsOf = (text: string): string[] => text.match(/\p{L}[\p{L}\p{N}']*|\d[\p{L}\p{N}.,%]*/gu) ?? [];

/** Takes the first window out of a text; the others stay, and count as nothing. */
function windowIn(text: string): { window: Window | null; left: string } {
  let [window, left]: [Window | null, string] = [null, text];
  for (const [name, pattern] of windows) {
    if (left.search(pattern) >= 0) window ??= name;
    left = left.replaceAll(pattern, ' ');
  }
  if (left.search(otherWindow) >= 0) window = 'other';
  return { window, left: left.replaceAll(otherWindow, ' ') };
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

/** Reads a question: what is asked for, over which time, and how much of it is understood. Words are looked up, never followed. */
export function readQuestion(text: string, context: VaultContext): ReadQuestion {
  const lower = text.toLowerCase().replaceAll(/[\u2018\u2019`]/g, "'");
  const plain = expressions.reduce((said, [pattern, word]) => said.replaceAll(pattern, ` ${word} `), lower);
  const counts = { largest: numberIn(plain, largest), hours: numberIn(plain, hours) };
  const { window, left } = windowIn(plain.replace(largest, ' large '));
  const said = wordsOf(left.replace(hours, ' hour '));
  const { source, isNamed, ofNames } = sourceIn(said, context);
  const symbol = context.detail.asset.symbol.toLowerCase();
  const own = new Set(
    [context.detail.asset.symbol, context.detail.symbol, context.detail.name].flatMap((name) =>
      wordsOf(name.toLowerCase()),
    ),
  );
  const words = new Set<string>(isNamed ? [source === null ? 'source' : 'onesource'] : []);
  let unknown = 0;
  for (const word of said) {
    if (ofNames.has(word) || (/^vault/.test(word) && word !== 'vaults')) continue;
    const known =
      canonicalOf(word) ??
      canonicalOf(word.replace(/'s$|s$/, '')) ??
      (own.has(word) ? (word === symbol ? 'symbol' : '') : respelled(word));
    if (known === undefined) unknown += 1;
    else if (known !== '') words.add(known);
  }
  return {
    ...{ words, unknown, window, source, ...counts },
    outside: outsides.find(([, pattern]) => pattern.test(lower))?.[0] ?? null,
  };
}
