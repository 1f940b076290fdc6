import type { Counted } from './agree.ts';
import { type Checked, check } from './check.ts';
import { tokenize } from './lexer.ts';
import { shortAddress, type Vocabulary, writtenField } from './lexicon.ts';
import { print } from './print.ts';
import { compileStrategy, expressionsOf, type Program, type StrategyDefinition, sizeCounts } from './program.ts';
import { parseRational } from './rational.ts';
import { compileWritten } from './resolve-text.ts';
import { type Show, showOutcome } from './rule.ts';
import { type Demand, isOneToken, shownNumber, spelledNumber } from './spell-number.ts';
import { MAX_LENGTH } from './syntax.ts';
import { type Edit, edited, mapTexts } from './texts.ts';
import { sourceFieldOf } from './variables.ts';

/** From what the engine runs (base units and addresses) to what people read and write (units and names). */

/** What each indicator without a unit counts, by the operands beside its uses. Where they differ, nothing is said. */
function wantedAliases(definition: StrategyDefinition, vocabulary: Vocabulary): Map<string, Counted> {
  const wanted = new Map<string, Counted>();
  if (definition.indicators.length === 0) return wanted;
  // An indicator may be used by others, so that what it counts is known once theirs is.
  for (let round = 0; round <= definition.indicators.length; round += 1) {
    const before = wanted.size;
    const seen = new Map<string, Counted | null>();
    for (const { expr, unit, of } of compileStrategy(definition, { vocabulary, wanted }).demands) {
      if (expr.kind !== 'name') continue;
      const known = seen.get(expr.name);
      const isSame = known === undefined || (known !== null && known.unit === unit && known.of === of);
      seen.set(expr.name, isSame ? { unit, of } : null);
    }
    for (const [name, counted] of seen) if (counted && !wanted.has(name)) wanted.set(name, counted);
    if (wanted.size === before) break;
  }
  return wanted;
}

const ambiguous = /^\s*[-%]/;

type Place = { text: string; demands: ReadonlyMap<number, Demand>; vocabulary: Vocabulary };

/** Numbers of an expression with their units. */
function withUnits({ text, demands, vocabulary }: Place): string {
  const tokens = tokenize(text, vocabulary);
  if (!Array.isArray(tokens)) return text;
  const edits: Edit[] = [];
  for (const { kind, at, end } of tokens) {
    const demand = kind === 'number' ? demands.get(at.offset) : undefined;
    if (demand?.expr.kind !== 'number') continue;
    const number = spelledNumber(demand.expr.value, demand, vocabulary);
    if (number === undefined) continue;
    const isOpen = number.endsWith('%') && ambiguous.test(text.slice(end));
    edits.push({ from: at.offset, to: end, text: isOpen ? `(${number})` : number });
  }
  const spelled = edited(text, edits);
  return spelled.length > MAX_LENGTH ? text : spelled;
}

function withNames(text: string, vocabulary: Vocabulary): string {
  const tokens = tokenize(text, vocabulary);
  if (!Array.isArray(tokens)) return text;
  const edits = tokens.flatMap(({ kind, text: found, at, end }): Edit[] => {
    const field = kind === 'word' ? sourceFieldOf(found) : undefined;
    return field ? [{ from: at.offset, to: end, text: writtenField(vocabulary, field) }] : [];
  });
  const spelled = edited(text, edits);
  return spelled.length > MAX_LENGTH ? text : spelled;
}

/** Every number that `isMeant` has its unit written behind it. */
function unitsWritten<T extends StrategyDefinition>(
  definition: T,
  vocabulary: Vocabulary,
  wanted: ReadonlyMap<string, Counted>,
  isMeant: (demand: Demand) => boolean,
): T {
  const byPath = new Map<string, Map<number, Demand>>();
  for (const { path, ...demand } of compileStrategy(definition, { vocabulary, wanted }).demands) {
    if (!isMeant(demand)) continue;
    const ofPath = byPath.get(path) ?? new Map<number, Demand>();
    byPath.set(path, ofPath.set(demand.expr.at.offset, demand));
  }
  return mapTexts(definition, (path, text) => withUnits({ text, demands: byPath.get(path) ?? new Map(), vocabulary }));
}

const textOf = (program: Program): string =>
  JSON.stringify([...expressionsOf(program)].map(({ path, expr }) => [path, print(expr)]));

/**
 * A stored definition with units and names, for people. It resolves to the very same program: where units would not (an indicator
 * that is used as two things), they are left out.
 */
export function spellStrategy<T extends StrategyDefinition>(definition: T, vocabulary: Vocabulary): T {
  const { program } = compileStrategy(definition);
  if (!program) return definition;
  const lenient = { ...vocabulary, isStrict: false };
  const none: ReadonlyMap<string, Counted> = new Map();
  const isToken = ({ expr, isDivisor, ...counted }: Demand) =>
    isDivisor === true && expr.kind === 'number' && isOneToken(expr.value, counted, lenient);
  const isBeside = ({ isDivisor }: Demand) => isDivisor !== true;
  const spelledOf = (part: T) => unitsWritten(part, lenient, wantedAliases(part, lenient), isBeside);
  const ways = [
    () => spelledOf(unitsWritten(definition, lenient, none, isToken)),
    () => spelledOf(definition),
    () => unitsWritten(definition, lenient, none, isBeside),
    () => definition,
  ];
  for (const way of ways) {
    const spelled = mapTexts(way(), (_path, text) => withNames(text, lenient));
    const again = compileWritten(spelled, { vocabulary: lenient, bareNumbers: 'marked' }).program;
    if (again && textOf(again) === textOf(program)) return spelled;
  }
  return definition;
}

/** A name of the language as it is written: a field of a source by the name of the source, where that is its alone. */
export function writtenName(name: string, vocabulary: Vocabulary): string {
  const field = sourceFieldOf(name);
  return field ? writtenField(vocabulary, field) : name;
}

/** A name of the language as people read it: that of a source by its name, else by its short address. */
export function spellName(name: string, vocabulary: Vocabulary): string {
  const field = sourceFieldOf(name);
  if (!field) return name;
  const written = writtenName(name, vocabulary);
  return written === name ? name.replace(field.address, shortAddress(field.address)) : written;
}

/** A message of the engine with names as people read them. */
export const spellNames = (text: string, vocabulary: Vocabulary): string =>
  text.replaceAll(/\bys_0x[0-9a-f]{40}_[a-z_]+\b/g, (name) => spellName(name, vocabulary));

/** Values in reasons with the unit of what they are compared with. */
export const shownWith =
  (vocabulary: Vocabulary, aliases: ReadonlyMap<string, Checked>): Show =>
  (outcome, compared) => {
    if (!outcome.known || typeof outcome.value === 'boolean') return showOutcome(outcome);
    const units = compared.map((expr) => check(expr, { aliases }).checked).filter(({ unit }) => unit !== 'plain');
    const [counted] = units;
    return (counted && shownNumber(outcome.value, counted, vocabulary)) ?? showOutcome(outcome);
  };

/** An amount in base units with its unit, e.g. `1000 USDC`. */
export function amountText(raw: string, counted: Counted, vocabulary: Vocabulary): string {
  const value = parseRational(raw);
  return (value && spelledNumber(value, counted, vocabulary)) ?? raw;
}

/** Limits of a strategy with their units, by the field they are in. */
export function spellLimits(
  { risk_params, action_config }: StrategyDefinition,
  vocabulary: Vocabulary,
): Record<string, string> {
  const limits: Record<string, string> = {};
  if (risk_params.max_amount !== null)
    limits['risk_params.max_amount'] = amountText(risk_params.max_amount, sizeCounts(action_config), vocabulary);
  if (risk_params.min_free_assets !== null)
    limits['risk_params.min_free_assets'] = amountText(risk_params.min_free_assets, { unit: 'assets' }, vocabulary);
  return limits;
}

/** Every expression and limit of a stored definition with units and names, by the field it is in. */
export function spellingOf(definition: StrategyDefinition, vocabulary: Vocabulary): Record<string, string> {
  const texts: Record<string, string> = {};
  mapTexts(spellStrategy(definition, vocabulary), (path, text) => {
    texts[path] = text;
    return text;
  });
  return { ...texts, ...spellLimits(definition, vocabulary) };
}
