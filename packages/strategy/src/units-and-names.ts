import {
  isLanguageWord,
  isSourceField,
  likelyUnit,
  type NamedSource,
  shortAddress,
  type UnitWord,
  unitList,
  type Vocabulary,
} from './lexicon.ts';
import type { Fault } from './syntax.ts';
import { nearest, sourceFields } from './variables.ts';

/** Units after numbers, and names before fields: the words of a text that are not the engine's. */

type Wrong = Omit<Fault, 'position'>;
type Unit = { end: number; unit: UnitWord; fault?: undefined };
type NoUnit = { end: number; fault: (number: string) => Wrong };

const matchAt = (pattern: RegExp, text: string, offset: number): RegExpExecArray | null => {
  pattern.lastIndex = offset;
  return pattern.exec(text);
};
const space = /[ \t\r\n]*/y;
const skipSpace = (text: string, offset: number): number => offset + (matchAt(space, text, offset)?.[0].length ?? 0);

const wordy = /[A-Za-z_\u0080-\uffff][\w.\u0080-\uffff]*/y;
const perShare = /[ \t\r\n]+per[ \t\r\n]+share\b/y;
const quoted = /"([^"\n]*)"/y;

/** Whether a `%` after a number is followed by what a remainder needs: `7 % 3`, not `7 % > x`. */
function afterPercent(text: string, offset: number): 'remainder' | 'percent' | 'either' {
  const next = skipSpace(text, offset);
  const character = text[next] ?? '';
  if (character === '-') return 'either';
  if (/[\d("]/.test(character)) return 'remainder';
  const word = matchAt(/[A-Za-z_]\w*/y, text, next)?.[0];
  return word !== undefined && word !== 'and' && word !== 'or' ? 'remainder' : 'percent';
}

function percentAfter(text: string, offset: number, vocabulary: Vocabulary): Unit | NoUnit | undefined {
  const kind = afterPercent(text, offset + 1);
  const unit = vocabulary.units.find(({ word }) => word === '%');
  if (kind === 'percent' && unit) return { end: offset + 1, unit };
  if (kind !== 'either' || !vocabulary.isStrict) return undefined;
  const fault = (number: string): Wrong => ({
    code: 'UNKNOWN_UNIT',
    message: `This can be read in two ways. Write (${number} %) for a percentage, or put what follows % in parentheses for a remainder.`,
    suggestion: `(${number} %)`,
  });
  return { end: offset + 1, fault };
}

function asPrice(text: string, found: Unit): Unit {
  if (found.unit.unit !== 'assets') return found;
  const price = matchAt(perShare, text, found.end);
  if (!price) return found;
  const { word, isQuoted, scale } = found.unit;
  const unit = { unit: 'pps', word: `${word} per share`, isQuoted, scale } as const;
  return { end: found.end + price[0].length, unit };
}

/**
 * The unit behind a number that ends at `offset`.
 * @returns undefined where no unit stands.
 */
export function unitAfter(text: string, offset: number, vocabulary: Vocabulary): Unit | NoUnit | undefined {
  const start = skipSpace(text, offset);
  if (text[start] === '%') return percentAfter(text, start, vocabulary);
  const inQuotes = matchAt(quoted, text, start);
  const known = inQuotes
    ? vocabulary.units.find(({ word }) => word === inQuotes[1])
    : vocabulary.units.find(
        ({ word, isQuoted }) =>
          !isQuoted && text.startsWith(word, start) && !/[\w.]/.test(text[start + word.length] ?? ''),
      );
  if (known) {
    const end = start + (inQuotes ? inQuotes[0].length : known.word.length);
    return asPrice(text, { end, unit: known });
  }
  const word = inQuotes?.[0] ?? matchAt(wordy, text, start)?.[0];
  if (word === undefined || (isLanguageWord(word) && word !== 'per')) return undefined;
  const fault = (number: string): Wrong => {
    const meant = likelyUnit(vocabulary, inQuotes?.[1] ?? word);
    const suggestion = meant === undefined ? undefined : `${number} ${meant}`;
    return {
      code: 'UNKNOWN_UNIT',
      message: `${word} is no unit here. ${suggestion === undefined ? `Units are ${unitList(vocabulary)}.` : `Did you mean ${suggestion}?`}`,
      ...(suggestion === undefined ? {} : { suggestion }),
    };
  };
  return { end: start + word.length, fault };
}

type Named = { length: number; name: string; address: string; field: string; fault?: undefined };
type NotNamed = { length: number; fault: Wrong };

const plainName = /([A-Za-z][A-Za-z0-9]*(?: [A-Za-z0-9]+)*)\.([A-Za-z_]\w*)/y;
const quotedName = /"([^"\n]*)"\.([A-Za-z_]\w*)/y;
const fieldAfter = /\.([A-Za-z_]\w*)/y;

/** A name as it stands in the text, known or not. */
function written(text: string, offset: number, { sources }: Vocabulary) {
  const inQuotes = matchAt(quotedName, text, offset);
  if (inQuotes) return { name: inQuotes[1] ?? '', field: inQuotes[2] ?? '', length: inQuotes[0].length };
  // The words of a name may look like others of the language, so names that are known are looked for first.
  for (const { name, written: form } of sources) {
    if (form !== name || !text.startsWith(name, offset)) continue;
    const field = matchAt(fieldAfter, text, offset + name.length);
    if (field) return { name, field: field[1] ?? '', length: name.length + field[0].length };
  }
  const plain = matchAt(plainName, text, offset);
  if (!plain || plain[1]?.split(' ').some(isLanguageWord)) return undefined;
  return { name: plain[1] ?? '', field: plain[2] ?? '', length: plain[0].length };
}

const whose = (addresses: readonly string[]): string => addresses.map(shortAddress).join(' and ');

/** What is wrong with a name; undefined when it stands for `source`. */
function nameFault(name: string, source: NamedSource | undefined, vocabulary: Vocabulary): Wrong | undefined {
  if (source && source.alike.length > 1) {
    const message = `${name} is ambiguous: ${whose(source.alike)} have this name or one that looks like it. Write ys_, the whole address, and the field.`;
    return { code: 'DUPLICATE_NAME', message };
  }
  const expected = vocabulary.expected.get(name);
  if (expected !== undefined && expected !== source?.address) {
    const now = vocabulary.sources.find(({ address }) => address === expected);
    const meant = source
      ? `it is ${shortAddress(source.address)} now`
      : now
        ? `that source is called ${now.name} now`
        : 'that source is gone';
    const message = `${name} was ${shortAddress(expected)} when this was written; ${meant}. Name the source again.`;
    return { code: 'CHANGED_NAME', message };
  }
  if (!source) return unknownName(name, vocabulary);
  if (source.written !== null) return undefined;
  const message = `${name} (${shortAddress(source.address)}) holds characters that a name cannot have here. Write ys_, the whole address, and the field.`;
  return { code: 'UNKNOWN_NAME', message };
}

function unknownName(name: string, { sources }: Vocabulary): Wrong {
  const meant = nearest(
    name,
    sources.map((source) => source.name),
  );
  const source = sources.find((each) => each.name === meant);
  const hint = source ? ` Did you mean ${source.name} (${shortAddress(source.address)})?` : '';
  return { code: 'UNKNOWN_NAME', message: `No yield source of the vault is called ${name}.${hint}` };
}

/**
 * A field of a source that is called by its name (`Morpho Prime.apy`, `"Prime (Core)".tvl`) at `offset`.
 * @returns undefined where none stands.
 */
export function nameAt(text: string, offset: number, vocabulary: Vocabulary): Named | NotNamed | undefined {
  const found = written(text, offset, vocabulary);
  if (!found) return undefined;
  const { name, field, length } = found;
  const source = vocabulary.sources.find((each) => each.name === name);
  const fault = nameFault(name, source, vocabulary);
  if (fault || !source) {
    const meant = nearest(
      name,
      vocabulary.sources.map((each) => each.written).filter((each) => each !== null),
    );
    const suggestion = fault?.code === 'UNKNOWN_NAME' && meant !== undefined ? `${meant}.${field}` : undefined;
    return {
      length,
      fault: { ...(fault ?? unknownName(name, vocabulary)), ...(suggestion === undefined ? {} : { suggestion }) },
    };
  }
  if (isSourceField(field)) return { length, name, address: source.address, field };
  const fields = sourceFields.map((each) => each.name);
  const meant = nearest(field, fields);
  return {
    length,
    fault: {
      code: 'UNKNOWN_IDENTIFIER',
      message: `A yield source has ${fields.join(', ')}.`,
      ...(meant === undefined ? {} : { suggestion: `${source.written ?? name}.${meant}` }),
    },
  };
}
