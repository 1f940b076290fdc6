import type { StrategyDefinition } from './program.ts';
import type { RuleNode } from './rule.ts';

/** Replaces the characters from `from` up to `to` (UTF-16 units). */
export type Edit = { readonly from: number; readonly to: number; readonly text: string };

/** A text with some parts of it replaced; the rest of it, spaces and lines too, stays. */
export const edited = (text: string, edits: readonly Edit[]): string =>
  [...edits]
    .sort((a, b) => b.from - a.from)
    .reduce((done, { from, to, text: part }) => `${done.slice(0, from)}${part}${done.slice(to)}`, text);

/** A definition with every text of the language replaced. */
export function mapTexts<T extends StrategyDefinition>(
  definition: T,
  change: (path: string, text: string) => string,
): T {
  const ofRule = (node: RuleNode, path: string): RuleNode => {
    if (node.type === 'EXPR') return { ...node, expr: change(`${path}.expr`, node.expr) };
    if (node.type === 'NOT') return { ...node, child: ofRule(node.child, `${path}.child`) };
    return { ...node, children: node.children.map((child, index) => ofRule(child, `${path}.children.${index}`)) };
  };
  const { conviction_config: conviction, action_config } = definition;
  return {
    ...definition,
    indicators: definition.indicators.map((each, index) => ({
      ...each,
      expr: change(`indicators.${index}.expr`, each.expr),
    })),
    rules: ofRule(definition.rules, 'rules'),
    conviction_config:
      conviction.mode === 'expr'
        ? {
            ...conviction,
            expr: change('conviction_config.expr', conviction.expr),
            min_score: change('conviction_config.min_score', conviction.min_score),
          }
        : conviction,
    action_config: { ...action_config, size_expr: change('action_config.size_expr', action_config.size_expr) },
  };
}
