import { type Counted, isOfOne } from './agree.ts';
import type { Checked, Scope } from './check.ts';
import { type Context, evaluate, MAX_STEPS, type Outcome } from './evaluate.ts';
import { functions } from './functions.ts';
import { ZERO } from './rational.ts';
import {
  type CompiledRule,
  compileExpr,
  compileLeast,
  compileRule,
  type Findings,
  type PathDemand,
  type PathFault,
  type RuleNode,
} from './rule.ts';
import { type Expr, type Fault, START } from './syntax.ts';
import { resolveVariable, type Unit, unitWords } from './variables.ts';

/** What a strategy may propose. */
export const actions = ['DEPOSIT', 'WITHDRAWAL', 'CLAIM', 'REBALANCE', 'SWAP', 'BRIDGE'] as const;
/** One of `actions`. */
export type StrategyAction = (typeof actions)[number];
/** Those of `actions` that the keeper can execute today; the others only propose. */
export const executableActions = [
  'DEPOSIT',
  'WITHDRAWAL',
  'REBALANCE',
  'CLAIM',
  'SWAP',
] as const satisfies readonly StrategyAction[];
/** What strategies do to the sources; within a lane they act in order. */
export const lanes = ['DEPOSIT', 'WITHDRAWAL', 'REBALANCE'] as const;
/** One of `lanes`. */
export type Lane = (typeof lanes)[number];

const laneOfAction: Readonly<Record<StrategyAction, Lane>> = {
  DEPOSIT: 'DEPOSIT',
  WITHDRAWAL: 'WITHDRAWAL',
  CLAIM: 'WITHDRAWAL',
  REBALANCE: 'REBALANCE',
  SWAP: 'REBALANCE',
  BRIDGE: 'REBALANCE',
};
/** The lane whose order an action takes part in. */
export const laneOf = (action: StrategyAction): Lane => laneOfAction[action];

/** The parts of a strategy that decide. `max_amount` and `min_free_assets` in base units; null switches a limit off. */
export type StrategyDefinition = {
  readonly indicators: readonly { readonly alias: string; readonly expr: string }[];
  readonly rules: RuleNode;
  readonly conviction_config: { readonly required_ticks: number } & (
    | { readonly mode: 'BINARY' }
    | { readonly mode: 'expr'; readonly expr: string; readonly min_score: string }
  );
  readonly action_config: {
    readonly action: StrategyAction;
    readonly size_expr: string;
    readonly target_address: string | null;
    /** The source that a REBALANCE takes from, or the token that a SWAP gives; of no meaning for other actions. */
    readonly from_address?: string | null | undefined;
  };
  readonly risk_params: { readonly max_amount: string | null; readonly min_free_assets: string | null };
  readonly max_concurrent: number;
  readonly cooldown_ms: number;
};

/** A strategy ready to be evaluated, as often as one likes. */
export type Program = {
  readonly definition: StrategyDefinition;
  readonly indicators: readonly { readonly alias: string; readonly expr: Expr }[];
  readonly rule: CompiledRule;
  readonly score: Expr | null;
  readonly size: Expr;
};

/** The program of a strategy; undefined when there is a fault. */
export type Compiled = {
  readonly program: Program | undefined;
  readonly faults: PathFault[];
  readonly warnings: PathFault[];
  /** Numbers without a unit, with what they count. */
  readonly demands: readonly PathDemand[];
  /** What each indicator counts. */
  readonly aliases: ReadonlyMap<string, Checked>;
};

/** How a strategy is read; see {@link Scope}. */
export type Reading = Pick<Scope, 'sources' | 'vocabulary' | 'bareNumbers'> & {
  /** What indicators without a unit count, by how they are used. */
  readonly wanted?: ReadonlyMap<string, Counted>;
};

/** Most indicators of a strategy. */
export const MAX_INDICATORS = 32;
/** Of all expressions of a strategy together. */
const MAX_TEXT = 20_000;
const aliasForm = /^[a-z][a-z0-9_]{0,31}$/;
const words = new Set(['and', 'or', 'not', 'true', 'false']);

const isTaken = (alias: string): boolean =>
  words.has(alias) ||
  Object.hasOwn(functions, alias) ||
  /^((ys|merkl|vault|tick)_|token_0x)/.test(alias) ||
  resolveVariable(alias).known;

/** Units a size may be counted in. */
const sizeUnits: Readonly<Partial<Record<StrategyAction, Unit>>> = {
  DEPOSIT: 'assets',
  WITHDRAWAL: 'source_shares',
  REBALANCE: 'source_shares',
  CLAIM: 'tokens',
  SWAP: 'tokens',
};

/** The yield source whose shares an action gives, in lower case; null when it takes from none, or none is named yet. */
export function takesFrom(config: Omit<StrategyDefinition['action_config'], 'size_expr'>): string | null {
  const { action, target_address, from_address } = config;
  if (action === 'WITHDRAWAL') return target_address?.toLowerCase() ?? null;
  return action === 'REBALANCE' ? (from_address?.toLowerCase() ?? null) : null;
}

/**
 * The variable of what an action can move at most of a token that is neither the asset nor a share: what a CLAIM finds at its
 * distributor, what the vault holds of what a SWAP gives. Null for other actions, and while that is not named.
 */
export function rewardLimit(config: Omit<StrategyDefinition['action_config'], 'size_expr'>): string | null {
  const { action, target_address, from_address } = config;
  if (action === 'CLAIM' && target_address) return `merkl_${target_address.toLowerCase()}_amount`;
  return action === 'SWAP' && from_address ? `token_${from_address.toLowerCase()}_amount` : null;
}

/** A claim takes all that there is: another size, or a limit, would not be kept. */
function checkClaim({ action_config, risk_params }: StrategyDefinition, size: Expr, findings: Findings): void {
  const all = rewardLimit(action_config);
  if (action_config.action !== 'CLAIM' || all === null) return;
  const refuse = (path: string, message: string) =>
    findings.faults.push({ code: 'WRONG_SIZE', message, position: START, path });
  if (size.kind !== 'name' || size.name !== all)
    refuse('action_config.size_expr', `A CLAIM takes all that can be claimed. Its size is ${all}.`);
  if (risk_params.max_amount !== null)
    refuse('risk_params.max_amount', 'A CLAIM takes all that can be claimed. It has no most at once.');
}

function compileIndicators(definition: StrategyDefinition, { wanted, ...reading }: Reading, findings: Findings) {
  const compiled: { alias: string; expr: Expr }[] = [];
  const aliases = new Map<string, Checked>();
  const refuse = (path: string, message: string) =>
    findings.faults.push({ code: 'ALIAS_INVALID', message, position: START, path });
  for (const [index, { alias, expr }] of definition.indicators.slice(0, MAX_INDICATORS).entries()) {
    const path = `indicators.${index}`;
    if (!aliasForm.test(alias))
      refuse(`${path}.alias`, 'An alias is lower-case letters, digits and _, a letter first.');
    else if (isTaken(alias)) refuse(`${path}.alias`, `${alias} is a name of the language.`);
    else if (aliases.has(alias)) refuse(`${path}.alias`, `${alias} is declared twice.`);
    const type = 'number';
    const item = compileExpr(
      expr,
      { path: `${path}.expr`, type, scope: { ...reading, aliases: new Map(aliases) }, wanted: wanted?.get(alias) },
      findings,
    );
    aliases.set(alias, item?.checked ?? { type, unit: 'plain' });
    if (item) compiled.push({ alias, expr: item.expr });
  }
  if (definition.indicators.length > MAX_INDICATORS) refuse('indicators', `At most ${MAX_INDICATORS} indicators.`);
  return { compiled, aliases };
}

/** What the size of a strategy counts. */
export function sizeCounts(config: StrategyDefinition['action_config']): Counted {
  const unit = sizeUnits[config.action] ?? 'units';
  const of = takesFrom(config);
  return of === null ? { unit } : { unit, of };
}

const freeSizes: ReadonlySet<Unit> = new Set(['plain', 'other', 'units']);

function checkSizeUnit(
  { action_config }: StrategyDefinition,
  { expr, checked }: { expr: Expr; checked: Checked },
  { bareNumbers }: Reading,
  findings: Findings,
): void {
  const wanted = sizeCounts(action_config);
  if (wanted.unit === 'units' || freeSizes.has(checked.unit)) return;
  const refuse = (list: PathFault[], message: string) =>
    list.push({ code: 'WRONG_UNIT', message, position: expr.at, path: 'action_config.size_expr' });
  const size = `The size of a ${action_config.action} counts ${unitWords[wanted.unit]}`;
  if (checked.unit !== wanted.unit) refuse(findings.faults, `${size}; this counts ${unitWords[checked.unit]}.`);
  else if (action_config.action === 'REBALANCE' && !isOfOne(checked, wanted))
    // Shares of the one it fills may be as many as all that the other holds.
    refuse(findings.faults, `${size} of the source it takes from.`);
  else if (bareNumbers && !isOfOne(checked, wanted))
    refuse(bareNumbers === 'refused' ? findings.faults : findings.warnings, `${size} of its own source.`);
}

/**
 * Checks a strategy and makes it ready to run. Never throws.
 * @param reading - `sources`: the vault's yield sources in lower case; undefined accepts any address. Without a vocabulary
 * it is read as the engine reads it.
 * @returns `program` is undefined when there are faults.
 */
export function compileStrategy(definition: StrategyDefinition, reading: Reading = {}): Compiled {
  const findings: Required<Findings> = { faults: [], warnings: [], demands: [] };
  const { compiled: indicators, aliases } = compileIndicators(definition, reading, findings);
  const { sources, vocabulary, bareNumbers } = reading;
  const scope: Scope = { sources, vocabulary, bareNumbers, aliases };
  const rule = compileRule(definition.rules, scope, findings);
  const { conviction_config: conviction, action_config } = definition;
  // Only now is it sure that the tree is shallow enough to be written out.
  if (rule && JSON.stringify(definition).length > MAX_TEXT)
    findings.faults.push({
      code: 'TOO_LONG',
      message: `A strategy has at most ${MAX_TEXT} characters.`,
      position: START,
      path: 'rules',
    });
  const number = (path: string, text: string, wanted?: Counted) =>
    compileExpr(text, { path, type: 'number', scope, wanted }, findings);
  const score = conviction.mode === 'expr' ? number('conviction_config.expr', conviction.expr) : undefined;
  if (score && conviction.mode === 'expr') {
    const path = 'conviction_config.min_score';
    compileLeast(conviction.min_score, { path, type: 'number', scope, wanted: score.checked }, findings);
  }
  const size = number('action_config.size_expr', action_config.size_expr, sizeCounts(action_config));
  if (size) checkSizeUnit(definition, size, reading, findings);
  if (size) checkClaim(definition, size.expr, findings);
  const complete = rule && size && findings.faults.length === 0;
  const program = complete ? { definition, indicators, rule, score: score?.expr ?? null, size: size.expr } : undefined;
  return { program, ...findings, aliases };
}

/** Looks names up in a snapshot, and indicators by their expressions, each worked out once. */
export function contextOf({ indicators }: Pick<Program, 'indicators'>, lookup: (name: string) => Outcome): Context {
  const budget = { steps: MAX_STEPS };
  const values = new Map<string, Outcome>();
  const context: Context = { budget, lookup: (name) => values.get(name) ?? lookup(name) };
  for (const { alias, expr } of indicators) values.set(alias, evaluate(expr, context));
  return context;
}

/** Every expression of a program with the field it is in. */
export function* expressionsOf(program: Program): Generator<{ path: string; expr: Expr }> {
  for (const [index, { expr }] of program.indicators.entries()) yield { path: `indicators.${index}.expr`, expr };
  yield* conditionsOf(program.rule, 'rules');
  if (program.score) yield { path: 'conviction_config.expr', expr: program.score };
  yield { path: 'action_config.size_expr', expr: program.size };
}

function* conditionsOf(rule: CompiledRule, path: string): Generator<{ path: string; expr: Expr }> {
  if (rule.type === 'EXPR') yield { path: `${path}.expr`, expr: rule.expr };
  else if (rule.type === 'NOT') yield* conditionsOf(rule.child, `${path}.child`);
  else for (const [index, child] of rule.children.entries()) yield* conditionsOf(child, `${path}.children.${index}`);
}

/**
 * What would have no value: with every variable at 0 (a division that nothing guards), or on a given reading of the vault.
 * @param lookup - By default every name is 0.
 */
export function dryRun(program: Program, lookup?: (name: string) => Outcome): PathFault[] {
  const context = contextOf(program, lookup ?? (() => ({ known: true, value: ZERO })));
  const faults: PathFault[] = [];
  for (const { path, expr } of expressionsOf(program)) {
    const outcome = evaluate(expr, context);
    if (outcome.known) continue;
    const fault: Fault =
      outcome.why.code === 'NO_VALUE'
        ? {
            code: 'NO_VALUE',
            message: `${outcome.why.name} has no value now; until it has, this does not fire.`,
            position: expr.at,
          }
        : {
            code: 'FAILS_ON_ZERO',
            message: lookup
              ? 'This cannot be worked out on the vault as it is now.'
              : 'This divides by something that can be 0. Guard it: if(vault_tvl > 0, vault_free_assets / vault_tvl, 0).',
            position: 'position' in outcome.why ? outcome.why.position : expr.at,
          };
    faults.push({ ...fault, path });
  }
  return faults;
}
