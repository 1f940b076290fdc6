import type { Vault } from '../../../data/queries.ts';
import { actionWords, nameAt } from '../../types.ts';
import { type SourceField, sourceLabel } from '../action-fields.tsx';
import type { Draft, DraftNode } from '../draft.ts';
import type { Block } from './tree.ts';

/** What a node of the rule is called on its block. */
export function kindWords({ type, threshold, children }: DraftNode): string {
  if (type === 'VOTE') return `At least ${threshold} of ${children.length}`;
  return { EXPR: 'Condition', AND: 'All of', OR: 'Any of', NOT: 'Not' }[type];
}

/** Within a sentence: "condition 1.2", "group 2 (Any of)". */
export const blockName = ({ node, number }: Block): string =>
  number === ''
    ? `the rule (${kindWords(node)})`
    : node.type === 'EXPR'
      ? `condition ${number}`
      : `group ${number} (${kindWords(node)})`;

const resultWords = { true: 'holds now', false: 'does not hold now', null: 'not known now' } as const;

/** In place of what is not written or chosen yet. */
export const missing = { condition: 'Not written yet', size: 'No size yet', source: 'No source yet' } as const;

/** What a reader hears of a block: what it shows, then how it judges the vault. */
export function blockLabel(
  { node, number }: Block,
  result: boolean | null | undefined,
  fault: string | undefined,
): string {
  const isCondition = node.type === 'EXPR';
  const caption = number === '' ? 'When' : isCondition ? `Condition ${number}` : number;
  const text = isCondition ? node.expr.trim() || missing.condition : kindWords(node);
  const now = result === undefined ? [] : [resultWords[String(result) as keyof typeof resultWords]];
  return [`${caption}: ${text}`, ...(fault === undefined ? [] : [fault]), ...now].join(', ');
}

export const actionLabel = ({ action }: Draft): string =>
  `Action: ${actionWords[action.action]}, ${action.size_expr.trim() || missing.size}`;

export const sourceName = (vault: Vault, { action }: Draft, field: SourceField): string => {
  const address = action[field] ?? '';
  return address === '' ? missing.source : nameAt(vault, address);
};

export const sourceBlockLabel = (vault: Vault, draft: Draft, field: SourceField): string =>
  `${sourceLabel(draft.action.action, field)}: ${sourceName(vault, draft, field)}`;
