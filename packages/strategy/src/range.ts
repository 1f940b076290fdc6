import { type Checked, check } from './check.ts';
import { type Context, evaluate, type Outcome } from './evaluate.ts';
import type { Vocabulary } from './lexicon.ts';
import { contextOf, expressionsOf, type Program } from './program.ts';
import { compare, divide, floor, multiply, negate, type Rational, ratio, ZERO } from './rational.ts';
import type { PathFault } from './rule.ts';
import { decimalText, spelledNumber } from './spell-number.ts';
import { type Expr, isComparison, partsOf } from './syntax.ts';
import { sourceFieldOf, type Unit } from './variables.ts';

/** Parts of a date never leave these. */
const dateRanges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  tick_hour: [0n, 23n],
  tick_minute: [0n, 59n],
  tick_second: [0n, 59n],
  tick_dow: [0n, 6n],
  tick_day: [1n, 31n],
  tick_month: [1n, 12n],
};

/** How many times above, and below, what something is now a threshold is still taken for meant. */
const farFrom: Readonly<Partial<Record<Unit, { above: bigint; below: bigint }>>> = {
  assets: { above: 1_000n, below: 1_000_000n },
  shares: { above: 1_000n, below: 1_000_000n },
  source_shares: { above: 1_000n, below: 1_000_000n },
  tokens: { above: 1_000n, below: 1_000_000n },
  other: { above: 1_000n, below: 1_000_000n },
  pps: { above: 20n, below: 20n },
  usd: { above: 20n, below: 20n },
  fraction: { above: 100n, below: 1_000n },
};

type Pair = { subject: Expr; threshold: Expr };

/** Comparisons of something that changes with something that does not. */
function pairsIn(root: Expr, isFixed: (expr: Expr) => boolean): Pair[] {
  const pairs: Pair[] = [];
  const add = (subject: Expr | undefined, threshold: Expr | undefined) => {
    if (subject && threshold && isFixed(threshold) && !isFixed(subject)) pairs.push({ subject, threshold });
  };
  const waiting = [root];
  for (let expr = waiting.pop(); expr; expr = waiting.pop()) {
    waiting.push(...partsOf(expr));
    if (expr.kind === 'binary' && isComparison(expr.op)) {
      add(expr.left, expr.right);
      add(expr.right, expr.left);
    }
    if (expr.kind !== 'call' || expr.name !== 'between') continue;
    add(expr.args[0], expr.args[1]);
    add(expr.args[0], expr.args[2]);
  }
  return pairs;
}

/** Reads no variable, not by an indicator either. */
function fixedIn({ indicators }: Program): (expr: Expr) => boolean {
  const fixed = new Set<string>();
  const isFixed = (expr: Expr): boolean =>
    expr.kind === 'name' ? fixed.has(expr.name) : partsOf(expr).every((part) => isFixed(part));
  for (const { alias, expr } of indicators) if (isFixed(expr)) fixed.add(alias);
  return isFixed;
}

const size = (value: Rational): Rational => (compare(value, ZERO) < 0 ? negate(value) : value);
const numberOf = (outcome: Outcome): Rational | undefined =>
  outcome.known && typeof outcome.value !== 'boolean' ? outcome.value : undefined;

/** A fall is 0 or next to it until there is one: what it is now says nothing of a threshold. */
const isFall = (expr: Expr): boolean => expr.kind === 'name' && sourceFieldOf(expr.name)?.field === 'drawdown';

/** What an amount is measured by: itself, and of assets all that the vault has. */
function scaleOf(value: Rational, unit: Unit, context: Context): Rational {
  const all = unit === 'assets' ? numberOf(context.lookup('vault_tvl')) : undefined;
  return all && compare(size(all), size(value)) > 0 ? size(all) : size(value);
}

function farWords(threshold: Rational, value: Rational, unit: Unit, context: Context): string | undefined {
  const limits = farFrom[unit];
  if (!limits || threshold.n === 0n) return undefined;
  const most = scaleOf(value, unit, context);
  const bound = size(threshold);
  if (most.n !== 0n && compare(bound, multiply(most, ratio(limits.above))) > 0) {
    const times = floor(divide(bound, most));
    return times > 1_000_000n ? 'more than a million times as much' : `${decimalText(ratio(times))} times as much`;
  }
  if (value.n === 0n || compare(size(value), multiply(bound, ratio(limits.below))) <= 0) return undefined;
  return `less than a ${limits.below === 20n ? 'twentieth' : limits.below === 1_000n ? 'thousandth' : 'millionth'} of it`;
}

function dateFault({ subject, threshold }: Pair, bound: Rational): string | undefined {
  const range =
    subject.kind === 'name' && Object.hasOwn(dateRanges, subject.name) ? dateRanges[subject.name] : undefined;
  if (!range || threshold.kind !== 'number') return undefined;
  const [least, most] = range;
  const isInside = compare(bound, ratio(least)) >= 0 && compare(bound, ratio(most)) <= 0;
  return isInside ? undefined : `${(subject as { name: string }).name} is ${least} to ${most}.`;
}

/**
 * Thresholds that are so far from what they are compared with that a unit was probably mistaken. Warnings only.
 * @param lookup - The vault as it is.
 */
export function farThresholds(
  program: Program,
  lookup: (name: string) => Outcome,
  { vocabulary, aliases }: { vocabulary: Vocabulary; aliases: ReadonlyMap<string, Checked> },
): PathFault[] {
  const context = contextOf(program, lookup);
  const isFixed = fixedIn(program);
  const faults: PathFault[] = [];
  for (const { path, expr } of expressionsOf(program))
    for (const pair of pairsIn(expr, isFixed)) {
      const { unit, of } = check(pair.subject, { aliases }).checked;
      const [value, bound] = [pair.subject, pair.threshold].map((side) => numberOf(evaluate(side, context)));
      if (!value || !bound || isFall(pair.subject)) continue;
      const shown = (number: Rational) => spelledNumber(number, { unit, of }, vocabulary) ?? 'a number';
      const words = farWords(bound, value, unit, context);
      const message =
        dateFault(pair, bound) ??
        (words && `What this is compared with is ${shown(value)} now; ${shown(bound)} is ${words}. Check the unit.`);
      if (message) faults.push({ code: 'FAR_THRESHOLD', message, position: pair.threshold.at, path });
    }
  return faults;
}
