import { agree, type Counted, isAmount } from './agree.ts';
import { check, noAliases } from './check.ts';
import { type Vocabulary, wordFor, writtenUnit } from './lexicon.ts';
import { parse } from './parser.ts';
import type { Rational } from './rational.ts';
import { type Position, START } from './syntax.ts';

type ReadAmount =
  | { readonly ok: true; readonly value: Rational }
  /** `suggestion` takes the place of the text at `position`. */
  | { readonly ok: false; readonly message: string; readonly position: Position; readonly suggestion?: string };

/**
 * Reads one number with a unit from a field of a form: `1000 USDC`, `0.5 %`, `6 h`.
 * @param wanted - What the field counts.
 */
export function readAmount(text: string, wanted: Counted, vocabulary: Vocabulary): ReadAmount {
  const parsed = parse(text, vocabulary);
  if (!parsed.ok) {
    const { message, position, suggestion } = parsed.fault;
    return { ok: false, message, position, ...(suggestion === undefined ? {} : { suggestion }) };
  }
  const { checked, demands } = check(parsed.expr, { aliases: noAliases, vocabulary, bareNumbers: 'refused' }, wanted);
  const { expr } = parsed;
  const whole = { ok: false, position: { ...START, length: text.length } } as const;
  if (expr.kind !== 'number') return { ...whole, message: 'Write one number with its unit.' };
  if (!agree(checked, wanted)) return { ...whole, message: `Write ${exampleOf(wanted, vocabulary)}.` };
  if (demands.length === 0) return { ok: true, value: expr.value };
  const example = exampleOf(wanted, vocabulary, text.trim());
  return { ...whole, message: `${text.trim()} has no unit. ${example}?`, suggestion: example };
}

/** A number as a field of this kind takes it. */
function exampleOf(wanted: Counted, vocabulary: Vocabulary, number = '10'): string {
  if (wanted.unit === 'duration') return `${number} s`;
  if (wanted.unit === 'fraction') return `${number} bps`;
  const word = wordFor(vocabulary, wanted.unit);
  return isAmount(wanted.unit) && word ? `${number} ${writtenUnit(word)}` : `${number} units`;
}
