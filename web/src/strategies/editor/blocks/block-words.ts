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

/** As a menu or a message names it: "Any of 1.2". */
export const blockName = ({ node, number }: Block): string =>
  number === '' ? `the rule (${kindWords(node)})` : `${kindWords(node)} ${number}`;

const resultWords = { true: 'holds now', false: 'does not hold now', null: 'not known now' } as const;

/** What a reader hears of a block. */
export function blockLabel({ node, number }: Block, result: boolean | null | undefined, isWrong: boolean): string {
  const name = `${number === '' ? 'When: ' : ''}${kindWords(node)}${number === '' ? '' : ` ${number}`}`;
  const said = node.type === 'EXPR' ? `${name}: ${node.expr.trim() === '' ? 'not written yet' : node.expr}` : name;
  const now = result === undefined ? [] : [resultWords[String(result) as keyof typeof resultWords]];
  return [said, ...now, ...(isWrong ? ['to be put right'] : [])].join(', ');
}

export const actionLabel = ({ action }: Draft): string =>
  `Action: ${actionWords[action.action]}, size ${action.size_expr.trim() === '' ? 'not written yet' : action.size_expr}`;

export const sourceName = (vault: Vault, { action }: Draft, field: SourceField): string => {
  const address = action[field] ?? '';
  return address === '' ? 'not chosen yet' : nameAt(vault, address);
};

export const sourceBlockLabel = (vault: Vault, draft: Draft, field: SourceField): string =>
  `${sourceLabel(draft.action.action, field)}: ${sourceName(vault, draft, field)}`;
