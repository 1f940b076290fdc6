import { type Counted, isAmount } from './agree.ts';
import { type UnitWord, type Vocabulary, wordFor, writtenUnit } from './lexicon.ts';
import { compare, divide, multiply, placesOf, type Rational, ratio, showRational } from './rational.ts';
import type { Expr, Fault } from './syntax.ts';
import type { Unit } from './variables.ts';

/** A number (or an indicator) that has no unit, and what it counts, by the operand beside it. */
export type Demand = Counted & {
  readonly expr: Extract<Expr, { kind: 'number' | 'name' }>;
  /** An amount is divided by it: it has a unit where it is one whole token. */
  readonly isDivisor?: boolean;
};

/** Underscores between thousands, from five digits on. */
function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const parts = whole.replace('-', '').length < 5 ? whole : whole.replaceAll(/\B(?=(\d{3})+$)/g, '_');
  return fraction === undefined ? parts : `${parts}.${fraction}`;
}

const isShown = ({ d }: Rational): boolean => placesOf(d) !== undefined;
/** The exact text of a number, its digits grouped where it is shown as a decimal. */
export const decimalText = (value: Rational): string =>
  isShown(value) ? grouped(showRational(value)) : showRational(value);

/** A price has the word of the asset. */
function wordOf(vocabulary: Vocabulary, unit: Unit): { word: UnitWord; text: string } | undefined {
  const word = wordFor(vocabulary, unit === 'pps' ? 'assets' : unit);
  return word && { word, text: `${writtenUnit(word)}${unit === 'pps' ? ' per share' : ''}` };
}

const steps = [
  ['d', 86_400n],
  ['h', 3_600n],
  ['min', 60n],
] as const;

/** Seconds in the largest unit that shows them as a whole number. */
export function durationText(seconds: Rational): string {
  const step = seconds.n === 0n || seconds.d !== 1n ? undefined : steps.find(([, size]) => seconds.n % size === 0n);
  return step ? `${seconds.n / step[1]} ${step[0]}` : `${decimalText(seconds)} s`;
}

const HUNDRED = ratio(100n);
const baseUnits = (value: Rational): string => `${decimalText(value)} units`;

/** A number of the engine with its unit, exactly; undefined where it is best left as it is. */
export function spelledNumber(value: Rational, { unit }: Counted, vocabulary: Vocabulary): string | undefined {
  if (unit === 'fraction')
    return isShown(multiply(value, HUNDRED)) ? `${decimalText(multiply(value, HUNDRED))} %` : undefined;
  if (unit === 'duration') return durationText(value);
  if (unit === 'usd') return `${decimalText(value)} USD`;
  if (unit === 'source_shares' || unit === 'tokens' || unit === 'other' || unit === 'units') return baseUnits(value);
  if (!isAmount(unit)) return undefined;
  const known = wordOf(vocabulary, unit);
  // What is less than a base unit has no text in whole tokens.
  if (!known || value.d !== 1n) return baseUnits(value);
  return `${decimalText(divide(value, known.word.scale))} ${known.text}`;
}

/** The same for reading: a part of a base unit, which no text of the language can name, is shown in whole tokens too. */
export function shownNumber(value: Rational, counted: Counted, vocabulary: Vocabulary): string | undefined {
  const known = isAmount(counted.unit) ? wordOf(vocabulary, counted.unit) : undefined;
  const whole = known && divide(value, known.word.scale);
  return known && whole && isShown(whole)
    ? `${decimalText(whole)} ${known.text}`
    : spelledNumber(value, counted, vocabulary);
}

/** Whether a number is one whole token in base units. Tokens of fewer decimals are divided by 10 or 100 for other reasons. */
export function isOneToken(value: Rational, { unit }: Counted, vocabulary: Vocabulary): boolean {
  const known = wordOf(vocabulary, unit);
  return known !== undefined && known.word.scale.n >= 1_000n && compare(value, known.word.scale) === 0;
}

/** From so many decimals on, what is a whole token in base units can have been meant as nothing else. */
const CLEAR_SCALE = 10n ** 12n;

/** What was most likely meant by `value` without a unit, and what else it may be. */
function meanings(value: Rational, counted: Counted, vocabulary: Vocabulary): [string, ...string[]] {
  const known = wordOf(vocabulary, counted.unit);
  if (counted.unit === 'fraction') return [`${decimalText(value)} %`];
  if (!known || !isAmount(counted.unit)) return [baseUnits(value)];
  const { scale } = known.word;
  const inBaseUnits = spelledNumber(value, counted, vocabulary) ?? baseUnits(value);
  if (multiply(value, scale).d !== 1n) return [inBaseUnits];
  const inTokens = `${decimalText(value)} ${known.text}`;
  if (compare(value, scale) < 0) return [inTokens];
  return scale.n >= CLEAR_SCALE ? [inBaseUnits] : [inTokens, inBaseUnits];
}

/** What was most likely meant by `value` without a unit. */
export const suggestedNumber = (value: Rational, counted: Counted, vocabulary: Vocabulary): string =>
  meanings(value, counted, vocabulary)[0];

/** A number without a unit beside an amount: refused with what was probably meant, or marked with what it is read as. */
export function bareNumber(expr: Demand['expr'], wanted: Counted, vocabulary: Vocabulary, isRefused: boolean): Fault {
  const code = 'BARE_NUMBER';
  if (expr.kind === 'name') {
    const message = `${expr.name} is a number without a unit, and stands beside an amount. Give it a unit where it is declared.`;
    return { code, message, position: expr.at };
  }
  const shown = decimalText(expr.value);
  const suggestion = suggestedNumber(expr.value, wanted, vocabulary);
  const read = spelledNumber(expr.value, wanted, vocabulary) ?? baseUnits(expr.value);
  const message = !isRefused
    ? `${shown} has no unit. It is read as base units: ${read}.`
    : wanted.unit === 'other'
      ? `${shown} stands beside a product or quotient of amounts, which counts base units. Divide the amounts by one whole token first, or write ${suggestion}.`
      : `${shown} has no unit. ${meanings(expr.value, wanted, vocabulary).join(', or ')}?`;
  return { code, message, position: expr.at, suggestion };
}

/** The parts of a number without a unit that would have to carry it: both of a sum, one of a product. */
export function plainPartsOf(expr: Expr, isBare: (part: Expr) => boolean): readonly Expr[] {
  if (expr.kind === 'unary') return [expr.operand];
  if (expr.kind === 'call') return expr.name === 'if' ? expr.args.slice(1) : expr.args;
  if (expr.kind !== 'binary') return [];
  if (expr.op === '*') return [isBare(expr.right) ? expr.right : expr.left];
  if (expr.op === '/') return [expr.left];
  return [expr.left, expr.right];
}
