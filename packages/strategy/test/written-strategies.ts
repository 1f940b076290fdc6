import {
  compileWritten,
  type Program,
  type RuleNode,
  type StrategyAction,
  type StrategyDefinition,
  spellingOf,
  type Vocabulary,
  vocabularyOf,
  type WrittenNode,
} from '../src/index.ts';

/** Strategies on a vault with three yield sources, two of which have names. */

export const [prime, core, twin, other] = ['ab', 'cd', 'ef', '12'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
  string,
];
export const sources = [prime, core, twin];
export const lexicon = {
  asset: { symbol: 'WETH', decimals: 18 },
  share: { symbol: 'svWETH', decimals: 18 },
  sources: [
    { name: 'Morpho Prime', address: prime },
    { name: 'Gauntlet (Core)', address: core },
  ],
};
export const api = vocabularyOf(lexicon);
export const editor = vocabularyOf(lexicon, { isStrict: true });

export type Parts = Partial<Record<'rule' | 'size' | 'limit', string>> & { action?: StrategyAction };
export const aDefinition = ({ rule = 'true', size = 'vault_free_assets', limit, action = 'DEPOSIT' }: Parts) =>
  ({
    indicators: limit === undefined ? [] : [{ alias: 'limit', expr: limit }],
    rules: { type: 'EXPR', expr: rule },
    conviction_config: { mode: 'BINARY', required_ticks: 1 },
    action_config: { action, size_expr: size, target_address: prime },
    risk_params: { max_amount: null, min_free_assets: null },
    max_concurrent: 1,
    cooldown_ms: 0,
  }) satisfies StrategyDefinition;
export const asEditor = (parts: Parts, vocabulary: Vocabulary = editor) =>
  compileWritten<StrategyDefinition>(aDefinition(parts), { sources, vocabulary, bareNumbers: 'refused' });
export const asApi = (parts: Parts) =>
  compileWritten<StrategyDefinition>(aDefinition(parts), { sources, vocabulary: api, bareNumbers: 'marked' });
export const spelledRule = (rule: string): string => spellingOf(aDefinition({ rule }), api)['rules.expr'] ?? '';

/** Without places and texts. */
export const bare = ({ indicators, rule, score, size }: Program): unknown =>
  JSON.parse(
    JSON.stringify({ indicators, rule, score, size }, (key, item) =>
      key === 'at' ? undefined : typeof item === 'bigint' ? `${item}` : item,
    ),
  );

/** A rule as it is stored. */
export const ruleOf = ({ type, expr, threshold, children }: WrittenNode): RuleNode => {
  if (type === 'EXPR') return { type, expr };
  const all = children.map(ruleOf);
  if (type === 'NOT') return { type, child: all[0] as RuleNode };
  return type === 'VOTE' ? { type, threshold: Number(threshold), children: all } : { type, children: all };
};

/** A condition as it is written. */
export const condition = (expr: string): WrittenNode => ({ type: 'EXPR', expr, threshold: '1', children: [] });
/** A group as it is written. */
export const group = (type: WrittenNode['type'], children: WrittenNode[], threshold = '1'): WrittenNode => ({
  type,
  expr: '',
  threshold,
  children,
});
