import { tokenize } from './lexer.ts';
import type { Vocabulary } from './lexicon.ts';
import { parse, readingOf } from './parser.ts';
import { type Compiled, compileStrategy, type Program, type Reading, type StrategyDefinition } from './program.ts';
import { showRational } from './rational.ts';
import type { PathFault } from './rule.ts';
import { MAX_LENGTH, START } from './syntax.ts';
import { type Edit, edited, mapTexts } from './texts.ts';

/** From what people write (units and names) to what the engine runs (base units and addresses). */

/** An expression in base units and addresses; a text that cannot be read, or has neither, is left as it is. */
export function resolveText(text: string, vocabulary: Vocabulary): string {
  const tokens = tokenize(text, readingOf(text, vocabulary));
  if (!Array.isArray(tokens)) return text;
  const edits: Edit[] = [];
  for (const { kind, text: found, at, end, unit, source } of tokens) {
    const from = at.offset;
    if (source) edits.push({ from, to: end, text: found });
    if (kind !== 'number' || !unit) continue;
    const read = parse(text.slice(from, end), vocabulary);
    if (read.ok && read.expr.kind === 'number') edits.push({ from, to: end, text: showRational(read.expr.value) });
  }
  return edited(text, edits);
}

const LEAST = 'conviction_config.min_score';
/** The least score is stored as a plain decimal number. */
const resolvedAt = (path: string, text: string, vocabulary: Vocabulary): string => {
  const plain = resolveText(text, vocabulary);
  return path === LEAST ? plain.replaceAll('_', '').trim() : plain;
};

/** Which sources the names in an expression stand for. */
function namesIn(text: string, vocabulary: Vocabulary): [string, string][] {
  const tokens = tokenize(text, readingOf(text, vocabulary));
  if (!Array.isArray(tokens)) return [];
  return tokens.flatMap(({ source }): [string, string][] => (source ? [[source.name, source.address]] : []));
}

/** Every name that a definition uses, with the address it stands for. */
export function namesUsed(definition: StrategyDefinition, vocabulary: Vocabulary): Record<string, string> {
  const names: [string, string][] = [];
  mapTexts(definition, (_path, text) => {
    names.push(...namesIn(text, vocabulary));
    return text;
  });
  return Object.fromEntries(names);
}

type Written<T extends StrategyDefinition> = Compiled & {
  /** In base units and addresses; `program` is compiled from it. */
  readonly resolved: T;
  /** The program with the places of the text as it was written, to say where something stands. */
  readonly asWritten: Program | undefined;
};

/**
 * Checks a strategy that may hold units and names, and makes it ready to run. Never throws.
 * @param reading - `vocabulary`: the words of the vault. `bareNumbers`: `refused` as the editor reads, `marked` as the API does.
 */
export function compileWritten<T extends StrategyDefinition>(
  definition: T,
  reading: Reading & { vocabulary: Vocabulary },
): Written<T> {
  const written = compileStrategy(definition, reading);
  const { sources, vocabulary } = reading;
  if (!written.program) return { ...written, resolved: definition, asWritten: undefined };
  const faults = [...written.faults];
  const resolved = mapTexts(definition, (path, text) => {
    const plain = resolvedAt(path, text, vocabulary);
    if (plain.length > MAX_LENGTH && plain !== text) faults.push(tooLong(path));
    return plain;
  });
  const run = faults.length > 0 ? undefined : compileStrategy(resolved, { sources });
  faults.push(...(run?.faults ?? []));
  return { ...written, faults, resolved, program: run?.program, asWritten: written.program };
}

const tooLong = (path: string): PathFault => ({
  code: 'TOO_LONG',
  message: `With addresses for names, an expression has at most ${MAX_LENGTH} characters.`,
  position: START,
  path,
});
