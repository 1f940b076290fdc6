import { agree, type Counted, mixedWords } from './agree.ts';
import { type Checked, check, type Scope } from './check.ts';
import { type Context, evaluate, explainUnknown, type Outcome } from './evaluate.ts';
import { parse } from './parser.ts';
import { print } from './print.ts';
import { showRational } from './rational.ts';
import type { Demand } from './spell-number.ts';
import { type Expr, type Fault, isComparison, partsOf, START } from './syntax.ts';

/** A rule as it is stored: conditions, joined by and, or, not, and votes. */
export type RuleNode =
  | { type: 'EXPR'; expr: string }
  | { type: 'AND' | 'OR'; children: RuleNode[] }
  | { type: 'NOT'; child: RuleNode }
  | { type: 'VOTE'; threshold: number; children: RuleNode[] };

/** A rule with its expressions parsed and checked. */
export type CompiledRule =
  | { readonly type: 'EXPR'; readonly expr: Expr }
  | { readonly type: 'AND' | 'OR'; readonly children: readonly CompiledRule[] }
  | { readonly type: 'NOT'; readonly child: CompiledRule }
  | { readonly type: 'VOTE'; readonly threshold: number; readonly children: readonly CompiledRule[] };

/** Most conditions and joins of one rule, together. */
export const MAX_RULE_NODES = 100;
/** Most levels of joins in one rule. */
export const MAX_RULE_DEPTH = 12;

/** A fault and the field it is in, e.g. `rules.children.0.expr`. */
export type PathFault = Fault & { readonly path: string };

/** What a number without a unit counts, and the field it is in. */
export type PathDemand = Demand & { readonly path: string };

/** Where the compiler puts what it finds. */
export type Findings = {
  readonly faults: PathFault[];
  readonly warnings: PathFault[];
  /** Filled where it is there. */
  readonly demands?: PathDemand[];
};

type Of = {
  path: string;
  type: 'number' | 'boolean';
  scope: Scope;
  /** What its numbers count where nothing in it says so. */
  wanted?: Counted | undefined;
};

/** Parses and checks one expression; undefined (and faults noted) when it cannot be used. */
export function compileExpr(text: string, of: Of, findings: Findings): { expr: Expr; checked: Checked } | undefined {
  const { path, type, scope, wanted } = of;
  const parsed = parse(text, scope.vocabulary);
  if (!parsed.ok) {
    findings.faults.push({ ...parsed.fault, path });
    return undefined;
  }
  const { expr } = parsed;
  const { checked, faults, warnings, demands } = check(expr, scope, wanted);
  findings.demands?.push(...demands.map((demand) => ({ ...demand, path })));
  findings.warnings.push(...warnings.map((fault) => ({ ...fault, path })));
  findings.faults.push(...faults.map((fault) => ({ ...fault, path })));
  if (faults.length > 0) return undefined;
  if (checked.type === type) return { expr, checked };
  const message =
    type === 'boolean'
      ? 'A rule is a condition: compare the number with something, as in vault_free_assets > 0.'
      : 'This must be a number; a condition becomes one by if(…, 1, 0).';
  findings.faults.push({ code: 'WRONG_TYPE', message, position: expr.at, path });
  return undefined;
}

/** The least score counts what the score counts. What is no number is refused where the strategy is saved. */
export function compileLeast(text: string, of: Of & { wanted: Counted }, findings: Findings): void {
  const { path, scope, wanted } = of;
  const parsed = parse(text, scope.vocabulary);
  if (!parsed.ok) {
    if (scope.vocabulary) findings.faults.push({ ...parsed.fault, path });
    return;
  }
  const item = compileExpr(text, of, findings);
  if (item === undefined || !scope.vocabulary) return;
  const { expr, checked } = item;
  const literal = expr.kind === 'unary' ? expr.operand : expr;
  const fault = (code: Fault['code'], message: string) =>
    findings.faults.push({ code, message, position: expr.at, path });
  if (literal.kind !== 'number') fault('NUMBER_MALFORMED', 'The least score is one number.');
  else if (!agree(checked, wanted)) fault('WRONG_UNIT', `This puts ${mixedWords(wanted, checked)} together.`);
}

type Walk = { scope: Scope; findings: Findings; nodes: number };

function refuse(walk: Walk, path: string, fault: Omit<Fault, 'position'>): undefined {
  walk.findings.faults.push({ ...fault, position: START, path });
  return undefined;
}

function compileNode(node: RuleNode, path: string, depth: number, walk: Walk): CompiledRule | undefined {
  walk.nodes += 1;
  if (walk.nodes > MAX_RULE_NODES)
    return refuse(walk, path, { code: 'TOO_MANY_NODES', message: `A rule has at most ${MAX_RULE_NODES} nodes.` });
  if (depth > MAX_RULE_DEPTH)
    return refuse(walk, path, { code: 'TOO_DEEP', message: `A rule nests at most ${MAX_RULE_DEPTH} deep.` });
  if (node.type === 'EXPR') {
    const of = { path: `${path}.expr`, type: 'boolean', scope: walk.scope } as const;
    const compiled = compileExpr(node.expr, of, walk.findings);
    return compiled && { type: 'EXPR', expr: compiled.expr };
  }
  if (node.type === 'NOT') {
    const child = compileNode(node.child, `${path}.child`, depth + 1, walk);
    return child && { type: 'NOT', child };
  }
  const { children } = node;
  if (children.length === 0) return refuse(walk, path, { code: 'EMPTY', message: `${node.type} needs a child.` });
  const compiled: CompiledRule[] = [];
  for (const [index, child] of children.entries()) {
    if (walk.nodes > MAX_RULE_NODES) return undefined;
    const item = compileNode(child, `${path}.children.${index}`, depth + 1, walk);
    if (item) compiled.push(item);
  }
  if (node.type !== 'VOTE')
    return compiled.length < children.length ? undefined : { type: node.type, children: compiled };
  const { threshold } = node;
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > children.length)
    return refuse(walk, `${path}.threshold`, {
      code: 'THRESHOLD_OUT_OF_RANGE',
      message: `The threshold is 1 to ${children.length}, the number of votes.`,
    });
  return compiled.length < children.length ? undefined : { type: 'VOTE', threshold, children: compiled };
}

/** Checks a whole tree and notes every fault of it. */
export const compileRule = (root: RuleNode, scope: Scope, findings: Findings): CompiledRule | undefined =>
  compileNode(root, 'rules', 1, { scope, findings, nodes: 0 });

/** The tree as it is stored, every expression in its canonical text. */
export function printRule(rule: CompiledRule): RuleNode {
  switch (rule.type) {
    case 'EXPR':
      return { type: 'EXPR', expr: print(rule.expr) };
    case 'NOT':
      return { type: 'NOT', child: printRule(rule.child) };
    case 'VOTE':
      return { type: 'VOTE', threshold: rule.threshold, children: rule.children.map(printRule) };
    default:
      return { type: rule.type, children: rule.children.map(printRule) };
  }
}

/** What a node came to, and why. `result` is null when it cannot be known; such a rule does not fire. */
export type Explanation = {
  type: RuleNode['type'];
  result: boolean | null;
  because: string;
  /** Of an EXPR: the names it reads and what they were; null for no value. */
  reads?: { name: string; value: string | null }[];
  children?: Explanation[];
};

/** How a value is shown in a reason; it counts what the expressions that it is compared with count. */
export type Show = (outcome: Outcome, compared: readonly Expr[]) => string;

/** An outcome as exact text: `true`, `1.5`, `1/3` or `no value`. */
export const showOutcome = (outcome: Outcome): string =>
  outcome.known
    ? typeof outcome.value === 'boolean'
      ? String(outcome.value)
      : showRational(outcome.value)
    : 'no value';

function namesIn(expr: Expr): string[] {
  const names = new Set<string>();
  const waiting = [expr];
  for (let item = waiting.pop(); item; item = waiting.pop()) {
    if (item.kind === 'name') names.add(item.name);
    waiting.push(...partsOf(item));
  }
  return [...names].sort();
}

/** The comparison with its numbers put in, e.g. `1500000 > 1000000`. */
function filledIn(expr: Expr, context: Context, show: Show): string {
  if (expr.kind === 'binary' && isComparison(expr.op)) {
    const sides = [expr.left, expr.right];
    const [left, right] = sides.map((side) => show(evaluate(side, context), sides));
    return `${left} ${expr.op} ${right}`;
  }
  if (expr.kind === 'binary' && (expr.op === 'and' || expr.op === 'or'))
    return `${filledIn(expr.left, context, show)} ${expr.op} ${filledIn(expr.right, context, show)}`;
  if (expr.kind === 'unary' && expr.op === 'not') return `not (${filledIn(expr.operand, context, show)})`;
  return `${print(expr)} is ${show(evaluate(expr, context), [expr])}`;
}

function explainExpr(expr: Expr, context: Context, show: Show): Explanation {
  const outcome = evaluate(expr, context);
  const reads = namesIn(expr).map((name) => {
    const value = context.lookup(name);
    return { name, value: value.known ? showOutcome(value) : null };
  });
  if (!outcome.known) return { type: 'EXPR', result: null, because: explainUnknown(outcome.why), reads };
  return { type: 'EXPR', result: outcome.value === true, because: filledIn(expr, context, show), reads };
}

/** How many of some nodes say yes, and how many cannot say. */
function tally(children: readonly Explanation[]): { yes: number; open: number; because: string } {
  const yes = children.filter(({ result }) => result === true).length;
  const open = children.filter(({ result }) => result === null).length;
  const because = `${yes} of ${children.length} hold${open === 0 ? '' : `, ${open} cannot be known`}`;
  return { yes, open, because };
}

/** Yes and no are counted against what is needed; what cannot be known leaves the result open only where it would decide. */
export function explainRule(rule: CompiledRule, context: Context, show: Show = showOutcome): Explanation {
  if (rule.type === 'EXPR') return explainExpr(rule.expr, context, show);
  if (rule.type === 'NOT') {
    const child = explainRule(rule.child, context, show);
    return {
      type: 'NOT',
      result: child.result === null ? null : !child.result,
      because: 'the opposite',
      children: [child],
    };
  }
  const children = rule.children.map((child) => explainRule(child, context, show));
  const needed = { AND: children.length, OR: 1, VOTE: rule.type === 'VOTE' ? rule.threshold : 0 }[rule.type];
  const { yes, open, because } = tally(children);
  const result = yes >= needed ? true : yes + open < needed ? false : null;
  return { type: rule.type, result, because: `${because}; ${needed} needed`, children };
}
