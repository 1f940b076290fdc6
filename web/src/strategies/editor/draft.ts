import type { RuleNode } from '@castellan/strategy';
import type { Api } from '../../app/api.ts';
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

/** A strategy while it is written. Numbers are texts, since one types them digit by digit. */
export type Draft = {
  id: string;
  name: string;
  indicators: readonly DraftIndicator[];
  rule: DraftNode;
  score: { isUsed: boolean; expr: string; min_score: string };
  required_ticks: string;
  action: Omit<ActionConfig, 'max_slippage_bps' | 'max_duration_seconds'>;
  max_slippage_bps: string;
  max_duration_seconds: string;
  max_amount: string;
  min_free_assets: string;
  max_concurrent: string;
  cooldown_seconds: string;
};

let lastKey = 0;
/** What React tells rows apart by; it never leaves the page. */
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
  max_slippage_bps: '50',
  max_duration_seconds: '60',
  max_amount: '',
  min_free_assets: '',
  max_concurrent: '1',
  cooldown_seconds: '0',
});

export function draftOf(strategy: OpenStrategy): Draft {
  const { action_config, conviction_config: conviction, risk_params } = strategy;
  const { max_slippage_bps, max_duration_seconds, size_expr, execution_address, ...action } = action_config;
  return {
    id: strategy.id,
    name: strategy.name,
    indicators: strategy.indicators.map((each) => ({ ...each, key: newKey() })),
    rule: nodeOf(strategy.rules),
    score:
      conviction.mode === 'expr'
        ? { isUsed: true, expr: conviction.expr, min_score: conviction.min_score }
        : { isUsed: false, expr: '', min_score: '1' },
    required_ticks: String(conviction.required_ticks),
    action: { ...action, size_expr: size_expr ?? '', execution_address: execution_address ?? '' },
    max_slippage_bps: String(max_slippage_bps),
    max_duration_seconds: String(max_duration_seconds),
    max_amount: risk_params.max_amount ?? '',
    min_free_assets: risk_params.min_free_assets ?? '',
    max_concurrent: String(strategy.max_concurrent),
    cooldown_seconds: String(strategy.cooldown_ms / 1000),
  };
}

/** The draft as the API takes it. What is no number yet comes out as NaN, which {@link fieldFaults} names. */
export function definitionOf(draft: Draft): Definition {
  const required_ticks = Number(draft.required_ticks);
  const amount = (text: string) => (text.trim() === '' ? null : text.replaceAll('_', '').trim());
  return {
    name: draft.name.trim(),
    indicators: draft.indicators.map(({ alias, expr }) => ({ alias, expr })),
    rules: ruleOf(draft.rule),
    conviction_config: draft.score.isUsed
      ? { mode: 'expr', expr: draft.score.expr, min_score: draft.score.min_score, required_ticks }
      : { mode: 'BINARY', required_ticks },
    action_config: {
      ...draft.action,
      from_address: draft.action.action === 'REBALANCE' ? (draft.action.from_address ?? null) : null,
      max_slippage_bps: Number(draft.max_slippage_bps),
      max_duration_seconds: Number(draft.max_duration_seconds),
    },
    risk_params: { max_amount: amount(draft.max_amount), min_free_assets: amount(draft.min_free_assets) },
    max_concurrent: Number(draft.max_concurrent),
    cooldown_ms: Math.round(Number(draft.cooldown_seconds) * 1000),
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
