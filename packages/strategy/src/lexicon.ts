import { multiply, type Rational, ratio } from './rational.ts';
import { nearest, sourceFields, type Unit } from './variables.ts';

/** What the words of a vault stand for: the symbols of its tokens and the names of its yield sources. */
export type Lexicon = {
  readonly asset: { readonly symbol: string; readonly decimals: number };
  /** The vault's own share. */
  readonly share: { readonly symbol: string; readonly decimals: number };
  readonly sources: readonly { readonly name: string; readonly address: string }[];
};

/** A unit that may follow a number. */
export type UnitWord = {
  readonly unit: Unit;
  /** Without quotes. */
  readonly word: string;
  readonly isQuoted: boolean;
  /** What one of it is in the numbers the engine computes with. */
  readonly scale: Rational;
};

/** The units and sources that texts of one vault can name. */
export type Vocabulary = {
  /** Longest first. */
  readonly units: readonly UnitWord[];
  readonly sources: readonly NamedSource[];
  /** The sources that names stood for when the text was begun, by name, in lower case. */
  readonly expected: ReadonlyMap<string, string>;
  /** `5 % - x` may be a percentage or a remainder; without this it is a remainder, as it always was. */
  readonly isStrict: boolean;
};

/** A yield source and the name it has in texts. */
export type NamedSource = {
  readonly name: string;
  /** Lower case. */
  readonly address: string;
  /** How the name is written; null where it is written as an address, with the reason. */
  readonly written: string | null;
  /** All sources with this name or one that looks the same, itself included. */
  readonly alike: readonly string[];
};

const SECOND = ratio(1n);
const fixed: readonly Omit<UnitWord, 'isQuoted'>[] = [
  { unit: 'fraction', word: '%', scale: ratio(1n, 100n) },
  { unit: 'fraction', word: 'bps', scale: ratio(1n, 10_000n) },
  { unit: 'duration', word: 's', scale: SECOND },
  { unit: 'duration', word: 'min', scale: ratio(60n) },
  { unit: 'duration', word: 'h', scale: ratio(3_600n) },
  { unit: 'duration', word: 'd', scale: ratio(86_400n) },
  { unit: 'duration', word: 'w', scale: ratio(604_800n) },
  { unit: 'usd', word: 'USD', scale: ratio(1n) },
  { unit: 'units', word: 'units', scale: ratio(1n) },
];
/** What people write instead; never accepted, only suggested. */
const otherWords: Readonly<Record<string, string>> = {
  percent: '%',
  pct: '%',
  bp: 'bps',
  sec: 's',
  second: 's',
  seconds: 's',
  m: 'min',
  mins: 'min',
  minute: 'min',
  minutes: 'min',
  hr: 'h',
  hrs: 'h',
  hour: 'h',
  hours: 'h',
  day: 'd',
  days: 'd',
  week: 'w',
  weeks: 'w',
  unit: 'units',
  wei: 'units',
};

const languageWords = new Set(['and', 'or', 'not', 'true', 'false', 'per']);
/** Whether the language has the word for itself, in any case of its letters: no symbol or source is written so. */
export const isLanguageWord = (word: string): boolean => languageWords.has(word.toLowerCase());

const simpleSymbol = /^[A-Za-z](?:[A-Za-z0-9.]*[A-Za-z0-9])?$/;
const simpleName = /^[A-Za-z][A-Za-z0-9]*(?: [A-Za-z0-9]+)*$/;
/** Characters that look like others, or that a reader does not see, have no place in a name that stands for an address. */
const quotableName = /^[!#-~](?:[ !#-~]{0,78}[!#-~])?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is kept out
const quotableSymbol = /^[^"\u0000-\u0020\u007f-\u00a0]{1,40}$/;

const power = (decimals: number): Rational => ratio(10n ** BigInt(decimals));

function symbolUnits({ asset, share }: Lexicon): UnitWord[] {
  const taken = new Set(fixed.map(({ word }) => word));
  const found: UnitWord[] = [];
  for (const [unit, { symbol, decimals }] of [
    ['assets', asset],
    ['shares', share],
  ] as const) {
    if (taken.has(symbol) || !quotableSymbol.test(symbol)) continue;
    taken.add(symbol);
    const isQuoted = !simpleSymbol.test(symbol) || isLanguageWord(symbol) || /^e\d/i.test(symbol);
    found.push({ unit, word: symbol, isQuoted, scale: power(decimals) });
  }
  return found;
}

/** Letters that are read as one another count as the same, as do case and spacing. */
const folded = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[il|]/g, '1')
    .replaceAll('o', '0')
    .replaceAll(/[^a-z0-9]+/g, '');

function namedSources({ sources }: Lexicon): NamedSource[] {
  return sources.map(({ name, address }) => {
    const alike = sources.filter((other) => folded(other.name) === folded(name)).map((other) => other.address);
    const isSimple = simpleName.test(name) && !name.split(' ').some(isLanguageWord);
    const written = alike.length > 1 || !quotableName.test(name) ? null : isSimple ? name : `"${name}"`;
    return { name, address: address.toLowerCase(), written, alike: alike.map((each) => each.toLowerCase()) };
  });
}

/**
 * The words that may stand in the expressions of a vault.
 * @param options - `names`: which source each name stood for when the text was begun; `isStrict`: as the editor reads.
 */
export function vocabularyOf(
  lexicon: Lexicon,
  { names = {}, isStrict = false }: { names?: Readonly<Record<string, string>>; isStrict?: boolean } = {},
): Vocabulary {
  const units = [...fixed.map((word) => ({ ...word, isQuoted: false })), ...symbolUnits(lexicon)];
  return {
    units: units.sort((a, b) => b.word.length - a.word.length),
    sources: namedSources(lexicon).sort((a, b) => b.name.length - a.name.length),
    expected: new Map(Object.entries(names).map(([name, address]) => [name, address.toLowerCase()])),
    isStrict,
  };
}

/** The address as 0x1234…abcd. */
export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** The word of a unit; undefined when the vault has none for it. */
export const wordFor = ({ units }: Vocabulary, unit: Unit): UnitWord | undefined =>
  units.find((each) => each.unit === unit);

/** How a unit stands after a number. */
export const writtenUnit = ({ word, isQuoted }: UnitWord): string => (isQuoted ? `"${word}"` : word);

/** The unit that was probably meant. */
export function likelyUnit(vocabulary: Vocabulary, word: string): string | undefined {
  if (Object.hasOwn(otherWords, word.toLowerCase())) return otherWords[word.toLowerCase()];
  const symbols = vocabulary.units.filter(({ unit }) => unit === 'assets' || unit === 'shares');
  const meant = nearest(
    word,
    symbols.map((each) => each.word),
  );
  const found = symbols.find((each) => each.word === meant);
  return found && writtenUnit(found);
}

/** The units by name, for messages. */
export const unitList = ({ units }: Vocabulary): string =>
  [...units]
    .sort((a, b) => Number(b.unit === 'assets') - Number(a.unit === 'assets'))
    .map(writtenUnit)
    .join(', ');

/** How a field of a source is written: by its name where that is one source's alone, else by its address. */
export function writtenField({ sources }: Vocabulary, { address, field }: { address: string; field: string }): string {
  const written = sources.find((source) => source.address === address)?.written ?? null;
  return written === null ? `ys_${address}_${field}` : `${written}.${field}`;
}

/** A written number in base units: times the scale of its unit. */
export const scaled = (value: Rational, { scale }: UnitWord): Rational => multiply(value, scale);

const fieldNames = new Set(sourceFields.map(({ name }) => name));
/** Whether sources have a field of this name. */
export const isSourceField = (field: string): boolean => fieldNames.has(field);
