import {
  amountText,
  type Counted,
  durationText,
  type RuleNode,
  ratio,
  readAmount,
  rewardLimit,
  type StrategyDefinition,
  sizeCounts,
  spellStrategy,
  takesFrom,
  type Vocabulary,
} from '@castellan/strategy';
import type { Api } from '../../client/api.ts';
import { isOfRewards, type Reward, rewardOf } from '../rewards.ts';
import type { Lane, OpenStrategy } from '../types.ts';

type Body = Parameters<Api['updateStrategy']>[0]['body'];
/** What decides and what is done, as the API takes it. */
export type Definition = Omit<Body, 'version'>;
type ActionConfig = Definition['action_config'];

/** A node of the rule while it is written; NOT holds its one child in `children`. */
export type DraftNode = {
  readonly key: number;
  readonly type: RuleNode['type'];
  readonly expr: string;
  readonly threshold: string;
  readonly children: readonly DraftNode[];
};
export type DraftIndicator = { readonly key: number; readonly alias: string; readonly expr: string };

/** A strategy while it is written. Numbers are texts, as they are typed digit by digit; amounts, ratios and times have their unit. */
export type Draft = {
  id: string;
  name: string;
  indicators: readonly DraftIndicator[];
  rule: DraftNode;
  score: { isUsed: boolean; expr: string; min_score: string };
  required_ticks: string;
  action: Omit<ActionConfig, 'max_slippage_bps' | 'max_duration_seconds'>;
  max_slippage: string;
  max_duration: string;
  max_amount: string;
  min_free_assets: string;
  max_concurrent: string;
  cooldown: string;
};

let lastKey = 0;
/** React's key of a row; it never leaves the page. */
export const newKey = (): number => {
  lastKey += 1;
  return lastKey;
};

export const condition = (expr = ''): DraftNode => ({
  key: newKey(),
  type: 'EXPR',
  expr,
  threshold: '1',
  children: [],
});

/** The same node once more: a page knows its rows by keys that are used once. */
export const withNewKeys = (node: DraftNode): DraftNode => ({
  ...node,
  key: newKey(),
  children: node.children.map(withNewKeys),
});

export function nodeOf(rule: RuleNode): DraftNode {
  const base = { ...condition(), type: rule.type };
  if (rule.type === 'EXPR') return { ...base, expr: rule.expr };
  if (rule.type === 'NOT') return { ...base, children: [nodeOf(rule.child)] };
  const children = rule.children.map(nodeOf);
  return rule.type === 'VOTE' ? { ...base, threshold: String(rule.threshold), children } : { ...base, children };
}

export function ruleOf({ type, expr, threshold, children }: DraftNode): RuleNode {
  if (type === 'EXPR') return { type, expr };
  if (type === 'NOT') return { type, child: ruleOf(children[0] ?? condition()) };
  const all = children.map(ruleOf);
  return type === 'VOTE' ? { type, threshold: Number(threshold), children: all } : { type, children: all };
}

/** A node of another type that keeps what it can of what was written. */
export function retyped(node: DraftNode, type: DraftNode['type']): DraftNode {
  if (type === node.type) return node;
  if (type === 'EXPR') return { ...node, type, expr: node.expr || (node.children[0]?.expr ?? ''), children: [] };
  const children = node.type === 'EXPR' ? [condition(node.expr)] : node.children;
  const kept = children.length === 0 ? [condition()] : children;
  return { ...node, type, expr: '', children: type === 'NOT' ? kept.slice(0, 1) : kept };
}

const firstAction = { DEPOSIT: 'DEPOSIT', WITHDRAWAL: 'WITHDRAWAL', REBALANCE: 'REBALANCE' } as const;

/** A new strategy of a lane, with nothing decided. */
export const newDraft = (lane: Lane): Draft => ({
  id: '',
  name: '',
  indicators: [],
  rule: { ...condition(), type: 'AND', children: [condition()] },
  score: { isUsed: false, expr: '', min_score: '1' },
  required_ticks: '1',
  action: {
    action: firstAction[lane],
    size_expr: '',
    execution_name: '',
    execution_address: '',
    target_address: '',
    from_address: null,
    objective: 'BALANCED',
  },
  max_slippage: '50 bps',
  max_duration: '1 min',
  max_amount: '',
  min_free_assets: '',
  max_concurrent: '1',
  cooldown: '0 s',
});

type Deciding = Pick<Definition, 'indicators' | 'rules' | 'action_config' | 'max_concurrent'> &
  Partial<Pick<Definition, 'conviction_config' | 'risk_params' | 'cooldown_ms'>>;

/** The definition as the compiler of the language takes it: the part that decides. */
export const compilable = (definition: Deciding): StrategyDefinition =>
  ({
    indicators: definition.indicators,
    rules: definition.rules,
    conviction_config: definition.conviction_config,
    action_config: { ...definition.action_config, target_address: definition.action_config.target_address || null },
    risk_params: definition.risk_params,
    max_concurrent: definition.max_concurrent,
    cooldown_ms: definition.cooldown_ms,
  }) as StrategyDefinition;

const secondsText = (milliseconds: number): string => durationText(ratio(BigInt(milliseconds), 1_000n));

/** A stored strategy with its units and names, to be written on. */
export function draftOf(strategy: OpenStrategy, vocabulary: Vocabulary): Draft {
  const stored = compilable(strategy as Deciding);
  const { indicators, rules, conviction_config: conviction, action_config: sized } = spellStrategy(stored, vocabulary);
  const {
    max_slippage_bps,
    max_duration_seconds,
    size_expr: _size,
    execution_address,
    ...action
  } = strategy.action_config;
  const { max_amount, min_free_assets } = strategy.risk_params;
  const amount = (raw: string | null, counted: Counted) => (raw === null ? '' : amountText(raw, counted, vocabulary));
  return {
    id: strategy.id,
    name: strategy.name,
    indicators: indicators.map((each) => ({ ...each, key: newKey() })),
    rule: nodeOf(rules),
    score:
      conviction.mode === 'expr'
        ? { isUsed: true, expr: conviction.expr, min_score: conviction.min_score }
        : { isUsed: false, expr: '', min_score: '1' },
    required_ticks: String(conviction.required_ticks),
    action: { ...action, size_expr: sized.size_expr, execution_address: execution_address ?? '' },
    max_slippage: `${max_slippage_bps} bps`,
    max_duration: secondsText(max_duration_seconds * 1_000),
    max_amount: amount(max_amount, sizeCounts(stored.action_config)),
    min_free_assets: amount(min_free_assets, { unit: 'assets' }),
    max_concurrent: String(strategy.max_concurrent),
    cooldown: secondsText(strategy.cooldown_ms),
  };
}

/** What the numbers of a draft count that have a field of their own, and how many of the API's number one of it is. */
export const limitFields = [
  {
    field: 'max_slippage',
    path: 'action_config.max_slippage_bps',
    unit: 'fraction',
    times: 10_000n,
    range: [0n, 5_000n],
  },
  {
    field: 'max_duration',
    path: 'action_config.max_duration_seconds',
    unit: 'duration',
    times: 1n,
    range: [10n, 300n],
  },
  { field: 'cooldown', path: 'cooldown_ms', unit: 'duration', times: 1_000n, range: [0n, 2_592_000_000n] },
] as const;

/** A number with its unit as the API counts it; null where it is none, or no whole one. */
export function wholeOf(text: string, counted: Counted, vocabulary: Vocabulary, times = 1n): bigint | null {
  const read = readAmount(text, counted, vocabulary);
  if (!read.ok) return null;
  const n = read.value.n * times;
  return n % read.value.d === 0n ? n / read.value.d : null;
}

/** What the largest amount of a draft counts. */
export const sizeOf = ({ action }: Draft): Counted => sizeCounts(placed(action));

/** The source whose shares the size of a draft counts, in lower case; null where it counts something else, or none is chosen. */
export const sharesOf = ({ action }: Draft): string | null => takesFrom(placed(action));

/** The reward that a draft claims or swaps; undefined for other actions, and while it is not known. */
export const rewardIn = ({ action }: Draft, rewards: readonly Reward[]): Reward | undefined =>
  isOfRewards(action.action)
    ? rewardOf(rewards, { action: action.action, target: action.target_address, from: action.from_address })
    : undefined;

const placed = (action: Draft['action']) => ({ ...action, target_address: action.target_address || null });

/**
 * The draft as the API takes it, expressions as they are written. What is no number yet comes out as NaN, which
 * {@link fieldFaults} names.
 */
export function definitionOf(draft: Draft, vocabulary: Vocabulary): Definition {
  const required_ticks = Number(draft.required_ticks);
  const amount = (text: string, counted: Counted) => wholeOf(text, counted, vocabulary)?.toString() ?? null;
  const { action } = draft.action;
  const isClaim = action === 'CLAIM';
  const [slippage, duration, cooldown] = limitFields.map(({ field, unit, times }) => {
    const whole = wholeOf(draft[field], { unit }, vocabulary, times);
    return whole === null ? Number.NaN : Number(whole);
  }) as [number, number, number];
  return {
    name: draft.name.trim(),
    indicators: draft.indicators.map(({ alias, expr }) => ({ alias, expr })),
    rules: ruleOf(draft.rule),
    conviction_config: draft.score.isUsed
      ? { mode: 'expr', expr: draft.score.expr, min_score: draft.score.min_score, required_ticks }
      : { mode: 'BINARY', required_ticks },
    action_config: {
      ...draft.action,
      // A claim is of all that its distributor has for the vault; while none is chosen there is nothing to be sized.
      ...(isClaim ? { size_expr: rewardLimit(placed(draft.action)) ?? '0' } : {}),
      from_address: action === 'REBALANCE' || action === 'SWAP' ? (draft.action.from_address ?? null) : null,
      max_slippage_bps: slippage,
      max_duration_seconds: duration,
    },
    risk_params: {
      max_amount: isClaim ? null : amount(draft.max_amount, sizeOf(draft)),
      min_free_assets: amount(draft.min_free_assets, { unit: 'assets' }),
    },
    max_concurrent: Number(draft.max_concurrent),
    cooldown_ms: cooldown,
    bare_numbers: 'refused',
  };
}

/** An id that says what the strategy is called and of which vault it is. */
export const suggestedId = (name: string, vaultAddress: string): string => {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60);
  return slug === '' ? '' : `${slug}-${vaultAddress.slice(-4).toLowerCase()}`;
};
