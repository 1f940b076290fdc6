import type { Vault } from '../../../data/queries.ts';
import { isOfRewards, type Reward, targetText } from '../../rewards.ts';
import { actionWords, nameAt } from '../../types.ts';
import { type SourceField, sourceLabel, wholeClaim } from '../action-fields.tsx';
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
export const missing = {
  condition: 'Not written yet',
  size: 'No size yet',
  source: 'No source yet',
  reward: 'No reward yet',
} as const;

/** What a reader hears of a block: what it shows, then how it judges the vault. */
export function blockLabel(
  { node, number }: Block,
  result: boolean | null | undefined,
  fault: string | undefined,
): string {
  const isCondition = node.type === 'EXPR';
  const caption = number === '' ? 'When' : `${isCondition ? 'Condition' : 'Group'} ${number}`;
  const text = isCondition ? node.expr.trim() || missing.condition : kindWords(node);
  const now = result === undefined ? [] : [resultWords[String(result) as keyof typeof resultWords]];
  return [`${caption}: ${text}`, ...(fault === undefined ? [] : [fault]), ...now].join(', ');
}

/** How much is moved, as the block of the action shows it; of a claim it is not written. */
export const sizeText = ({ action }: Draft): string =>
  action.action === 'CLAIM' ? wholeClaim : action.size_expr.trim();

export const actionLabel = (draft: Draft): string =>
  `Action: ${actionWords[draft.action.action]}, ${sizeText(draft) || missing.size}`;

type Shown = { vault: Vault; draft: Draft; rewards: readonly Reward[] };

/** The source of an action, or its reward; undefined while none is chosen. */
export function chosenName({ vault, draft: { action }, rewards }: Shown, field: SourceField): string | undefined {
  const address = action[field] ?? '';
  if (address === '') return undefined;
  if (!isOfRewards(action.action)) return nameAt(vault, address);
  const { action: what, target_address: target, from_address: from } = action;
  return targetText(vault, { action: what, target, from }, rewards);
}

export const nothingChosen = ({ action }: Draft): string =>
  isOfRewards(action.action) ? missing.reward : missing.source;

export const sourceBlockLabel = (shown: Shown, field: SourceField): string =>
  `${sourceLabel(shown.draft.action.action, field)}: ${chosenName(shown, field) ?? nothingChosen(shown.draft)}`;
