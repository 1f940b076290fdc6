import { z } from 'zod';
import { Address, ChainIdParam, Eip55, IsoTime, UintString } from '../primitives.ts';

/** `<chainId>:<vaultAddress>`; parses to the two. */
export const VaultId = z
  .string()
  .regex(/^[^:]+:[^:]+$/, 'must be chain:address')
  .transform((text) => {
    const [chain_id, vault_address] = text.split(':');
    return { chain_id, vault_address };
  })
  .pipe(z.object({ chain_id: ChainIdParam, vault_address: Address }));

/** `EMERGENCY_EXIT`: drains one source, once it is armed. */
export const strategyKinds = ['USER_DEFINED', 'EMERGENCY_EXIT'] as const;
/** States of a strategy; only `RUNNING` is evaluated. */
export const strategyStates = ['CREATED', 'IDLE', 'RUNNING', 'ERROR', 'ARCHIVED'] as const;
/** What a strategy does to the vault's sources; within a lane strategies act in the order of their priority. */
export const strategyLanes = ['DEPOSIT', 'WITHDRAWAL', 'REBALANCE'] as const;
/** What a strategy proposes. */
export const strategyActions = ['DEPOSIT', 'WITHDRAWAL', 'CLAIM', 'REBALANCE', 'SWAP', 'BRIDGE'] as const;
/** One of `strategyStates`. */
export const StrategyState = z.enum(strategyStates);
export type StrategyState = z.infer<typeof StrategyState>;
/** One of `strategyLanes`. */
export const StrategyLane = z.enum(strategyLanes);
/** One of `strategyActions`. */
export const StrategyAction = z.enum(strategyActions);

/** Strategies of a vault that are not archived, without emergency exits. */
export const MOST_STRATEGIES = 200;

/** An id that the creator of a strategy chooses. */
export const StrategyId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, 'must be 1 to 100 letters, digits, - or _');

/** A condition, or conditions joined. The expressions are in the strategy language. */
export type RuleNode =
  | { type: 'EXPR'; expr: string }
  | { type: 'AND' | 'OR'; children: RuleNode[] }
  | { type: 'NOT'; child: RuleNode }
  | { type: 'VOTE'; threshold: number; children: RuleNode[] };

const MAX_DEPTH = 12;
const MAX_NODES = 100;
const MAX_EXPRESSION = 2_000;

const wantedKeys: Readonly<Record<string, readonly string[]>> = {
  EXPR: ['type', 'expr'],
  AND: ['type', 'children'],
  OR: ['type', 'children'],
  NOT: ['type', 'child'],
  VOTE: ['type', 'threshold', 'children'],
};

/** What is wrong with the shape of a node itself; undefined when nothing is. */
function faultOf(node: unknown): string | undefined {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return 'must be a rule node';
  const { type, expr, children, threshold } = node as Record<string, unknown>;
  const keys = typeof type === 'string' && Object.hasOwn(wantedKeys, type) ? wantedKeys[type] : undefined;
  if (!keys) return `type must be one of ${Object.keys(wantedKeys).join(', ')}`;
  const strange = Object.keys(node).find((key) => !keys.includes(key));
  if (strange !== undefined) return `${JSON.stringify(strange)} does not belong to ${type}`;
  if (type === 'EXPR') {
    const isText = typeof expr === 'string' && expr.length <= MAX_EXPRESSION;
    return isText ? undefined : `expr must be a text of at most ${MAX_EXPRESSION} characters`;
  }
  if (type === 'NOT') return undefined;
  if (type === 'VOTE' && !Number.isInteger(threshold)) return 'threshold must be an integer';
  return Array.isArray(children) && children.length > 0 ? undefined : 'children must hold at least one node';
}

const childrenOf = (node: RuleNode): [string[], RuleNode][] => {
  if (node.type === 'EXPR') return [];
  if (node.type === 'NOT') return [[['child'], node.child]];
  return node.children.map((child, index) => [['children', `${index}`], child]);
};

/** Walks without recursion: the sender decides how deep the tree is. */
function checkTree(root: unknown, context: z.RefinementCtx): void {
  const waiting: [string[], unknown, number][] = [[[], root, 1]];
  let nodes = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [path, node, depth] = next;
    nodes += 1;
    const tooMuch =
      depth > MAX_DEPTH
        ? `nests more than ${MAX_DEPTH} deep`
        : nodes > MAX_NODES
          ? `has more than ${MAX_NODES} nodes`
          : undefined;
    const message = tooMuch ?? faultOf(node);
    if (message !== undefined) context.addIssue({ code: 'custom', path, message });
    if (tooMuch !== undefined) return;
    if (message === undefined)
      for (const [step, child] of childrenOf(node as RuleNode)) waiting.push([[...path, ...step], child, depth + 1]);
  }
}

/** `{type: EXPR, expr}`, `{type: AND|OR, children}`, `{type: NOT, child}`, `{type: VOTE, threshold, children}`. */
export const RuleTree = z
  .unknown()
  .superRefine(checkTree)
  .meta({
    description:
      'A rule: {type: "EXPR", expr}, {type: "AND" or "OR", children}, {type: "NOT", child} or {type: "VOTE", threshold, children}, ' +
      `at most ${MAX_DEPTH} deep and of ${MAX_NODES} nodes.`,
    examples: [{ type: 'EXPR', expr: 'vault_free_assets > 1_000_000' }],
  }) as unknown as z.ZodType<RuleNode, RuleNode>;

const Expression = z.string().min(1).max(MAX_EXPRESSION);
/** A named expression that rules can use. */
export const Indicator = z.strictObject({ alias: z.string().min(1).max(32), expr: Expression });

const RequiredTicks = z.int().min(1).max(100).default(1);
/** BINARY: the rule alone. `expr`: its score must reach `min_score` as well. Both for `required_ticks` evaluations in a row. */
export const ConvictionConfig = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('BINARY'), required_ticks: RequiredTicks }),
  z.strictObject({
    mode: z.literal('expr'),
    expr: Expression,
    min_score: z
      .string()
      .regex(
        /^-?\d[\d_]{0,39}(\.\d{1,18})?( ?[^\s\d.][^\n]{0,47})?$/,
        'must be a decimal number, with the unit of the score',
      ),
    required_ticks: RequiredTicks,
  }),
]);

/** Limits on each execution, in base units: of the vault's asset, of the source's shares where some are taken, of the token that a swap gives. */
export const RiskParams = z.strictObject({
  max_amount: UintString.nullable().default(null),
  min_free_assets: UintString.nullable().default(null),
});

const Venues = z.array(z.string().min(1).max(80)).max(20).default([]);
const Descriptor = z.record(z.string().max(64), z.string().max(2_000)).nullable().default(null);

const ExecutionParam = z.union([z.string().max(2_000), z.number(), z.boolean(), z.null()]);

const actionFields = {
  action: StrategyAction,
  objective: z.enum(['MIN_SLIPPAGE', 'MIN_TIME', 'BALANCED']).default('BALANCED'),
  execution_name: z.string().trim().min(1).max(80),
  target_type: z.string().min(1).max(40).default('yield_source'),
  execution_params: z.record(z.string().max(64), ExecutionParam).default({}),
  max_slippage_bps: z.int().min(0).max(10_000).default(50),
  max_duration_seconds: z.int().min(10).max(300).default(60),
  allow_order_splitting: z.boolean().default(false),
  venue_allowlist: Venues,
  venue_blocklist: Venues,
  merkle_hook_descriptor: Descriptor,
  merkle_global_descriptor: Descriptor,
  reason: z.string().max(500).nullable().default(null),
};

/**
 * What is to be done, by the hook `execution_address`, and its size in base units. DEPOSIT: assets. WITHDRAWAL: shares of the source.
 * REBALANCE: shares out of `from_address`, by any hook that the tree allows, and into `target_address`.
 * CLAIM: all that the distributor `target_address` has, `merkl_<distributor>_amount`. SWAP: of the token `from_address`, to the pool
 * `target_address`, for the asset. BRIDGE is not executed.
 */
export const ActionConfig = z.strictObject({
  ...actionFields,
  // Above what is half of the value is no limit any more.
  max_slippage_bps: z.int().min(0).max(5_000).default(50),
  execution_params: z
    .record(
      z.string().regex(/^[A-Za-z]\w{0,63}$/, 'must be a letter, then at most 63 letters, digits and _'),
      ExecutionParam,
    )
    .default({}),
  size_expr: Expression,
  execution_address: Address,
  target_address: Address,
  from_address: Address.nullable().default(null),
});

const MOST_NAMES = 60;

/**
 * How the expressions of a definition are read. They may hold units (`1000 USDC`, `2.5 %`, `6 h`) and names of yield sources
 * (`Morpho Prime.apy`); stored are base units and addresses.
 */
const reading = {
  /** A number without a unit beside an amount: read as base units and marked (the default), or refused. */
  bare_numbers: z.enum(['base_units', 'refused']).optional(),
  /** Which source each name stood for when the text was written: one that stands for another meanwhile is refused. */
  names: z
    .record(z.string().min(1).max(200), Address)
    .refine((names) => Object.keys(names).length <= MOST_NAMES, `has at most ${MOST_NAMES} names`)
    .optional(),
};

/** What decides and what is done: the part of a strategy its editor writes. */
export const strategyDefinition = {
  ...reading,
  name: z.string().trim().min(1).max(80),
  indicators: z.array(Indicator).max(32),
  rules: RuleTree,
  conviction_config: ConvictionConfig.default({ mode: 'BINARY', required_ticks: 1 }),
  action_config: ActionConfig,
  risk_params: RiskParams.default({ max_amount: null, min_free_assets: null }),
  max_concurrent: z.int().min(1).max(100),
  cooldown_ms: z.int().min(0).max(2_592_000_000).default(0),
};

/** A warning: it does not forbid saving. */
export const StrategyWarning = z.object({ path: z.string(), code: z.string(), message: z.string() });

/**
 * One strategy. `priority` counts from 1 within its lane; null once archived, and for emergency exits. The public does not see when: `indicators`, `rules`, `conviction_config`, `risk_params`, `size_expr`, `spelling` and `written_in` are null to it
 * (`is_redacted`). Expressions are in base units and addresses; `spelling` has them, and the limits, with units and names.
 */
export const Strategy = z.object({
  id: z.string(),
  vault_id: z.string(),
  kind: z.enum(strategyKinds),
  state: StrategyState,
  lane: StrategyLane,
  priority: z.int().positive().nullable(),
  version: z.int().positive(),
  name: z.string(),
  indicators: z.array(Indicator).nullable(),
  rules: RuleTree.nullable(),
  conviction_config: ConvictionConfig.nullable(),
  action_config: z.object({
    ...actionFields,
    size_expr: z.string().nullable(),
    /** Null for an emergency exit: it takes whichever hook the root allows for its source. */
    execution_address: Eip55.nullable(),
    target_address: Eip55,
    from_address: Eip55.nullable(),
  }),
  risk_params: RiskParams.nullable(),
  max_concurrent: z.int(),
  cooldown_ms: z.int(),
  is_redacted: z.boolean(),
  /** Each expression and limit with units and names, by the path of its field (`rules.children.0.expr`). */
  spelling: z.record(z.string(), z.string()).nullable(),
  /** `base_units`: at least one amount was sent without a unit. */
  written_in: z.enum(['units', 'base_units']).nullable(),
  /** Why it is in ERROR. */
  error: z.string().nullable(),
  /** Of an armed emergency exit. */
  armed: z.object({ started_at: IsoTime, reason: z.string().nullable(), by: Eip55 }).nullable(),
  warnings: z.array(StrategyWarning),
  created_at: IsoTime,
  created_by: Eip55.nullable(),
  updated_at: IsoTime,
  updated_by: Eip55.nullable(),
});
export type Strategy = z.infer<typeof Strategy>;

/** What a node of a rule came to, with its reasons below it. */
export const Explained = z.unknown().meta({
  description:
    '{type, result: true, false or null (not known), because, reads: [{name, value}] of an EXPR, children: the same for each child}',
});

/** How a strategy judges one block. Amounts in base units; `amount` is null when nothing would be done. */
export const StrategyDecision = z.object({
  block_number: z.int(),
  rule: Explained,
  indicators: z.array(z.object({ alias: z.string(), value: z.string().nullable(), because: z.string().nullable() })),
  score: z.object({ value: z.string().nullable(), enough: z.boolean(), because: z.string().nullable() }),
  size: z.object({
    value: z.string().nullable(),
    amount: UintString.nullable(),
    limited_by: z.string().nullable(),
    because: z.string().nullable(),
  }),
});

/** A variable as it was at a block, as exact text; null for no value. */
export const FieldValue = z.object({ value: z.string().nullable(), block_number: z.int() });
/** Number of rows to skip, in a query. */
export const offset = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,8})$/, 'must be a non-negative integer')
  .transform(Number);
