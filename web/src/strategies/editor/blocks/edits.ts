import { MAX_RULE_DEPTH, MAX_RULE_NODES } from '@castellan/strategy';
import { condition, type DraftNode, retyped, withNewKeys } from '../draft.ts';
import { blockAt, blocksOf, countOf, depthOf, isBlank } from './tree.ts';

/** Where a block comes to lie: in which group, and before which of its children. */
export type Place = { readonly group: number; readonly index: number };
/** The rule after a step with the block it was about; or why the step is not made. */
export type Step = { readonly rule: DraftNode; readonly at: number } | { readonly refused: string };
type GroupType = Exclude<DraftNode['type'], 'EXPR'>;

/** A group begins with a condition to be written: one that is empty cannot be saved. */
export const newGroup = (type: GroupType, children: readonly DraftNode[] = [condition()]): DraftNode => ({
  ...condition(),
  type,
  children,
});

/** The rule with one node replaced. */
export function withNode(rule: DraftNode, key: number, change: (node: DraftNode) => DraftNode): DraftNode {
  if (rule.key === key) return change(rule);
  return { ...rule, children: rule.children.map((child) => withNode(child, key, change)) };
}

/** No group is empty, and none asks for more votes than it has. */
function settled(group: DraftNode): DraftNode {
  const children = group.type !== 'EXPR' && group.children.length === 0 ? [condition()] : group.children;
  const isTooMany = group.type === 'VOTE' && Number(group.threshold) > children.length;
  return { ...group, children, ...(isTooMany ? { threshold: String(children.length) } : {}) };
}

/** A node with one more below it. What holds only one thing makes a group of both; what is empty makes way. */
function holding(target: DraftNode, added: DraftNode, index: number): DraftNode {
  if (isBlank(target)) return added;
  if (target.type === 'EXPR') return newGroup('AND', [target, added]);
  const { children } = target;
  const [first = condition(), ...more] = children;
  if (target.type === 'NOT') return { ...target, children: [holding(first, added, first.children.length)] };
  if (more.length === 0 && isBlank(first)) return { ...target, children: [added] };
  return { ...target, children: children.toSpliced(index, 0, added) };
}

function limited(step: { rule: DraftNode; at: number }): Step {
  if (countOf(step.rule) > MAX_RULE_NODES) return { refused: `A rule has at most ${MAX_RULE_NODES} blocks.` };
  if (depthOf(step.rule) > MAX_RULE_DEPTH) return { refused: `A rule nests at most ${MAX_RULE_DEPTH} deep.` };
  return step;
}

const GONE: Step = { refused: 'This block is not in the rule any more.' };

/** One more block at a place. */
export const added = (rule: DraftNode, place: Place, node: DraftNode): Step =>
  blockAt(rule, place.group) === undefined
    ? GONE
    : limited({ rule: withNode(rule, place.group, (group) => holding(group, node, place.index)), at: node.key });

const without = (rule: DraftNode, parent: DraftNode, key: number): DraftNode =>
  withNode(rule, parent.key, (group) =>
    settled({ ...group, children: group.children.filter((child) => child.key !== key) }),
  );

/** A block less, with all below it. A group whose last block goes has a condition to be written instead. */
export function removed(rule: DraftNode, key: number): Step {
  const block = blockAt(rule, key);
  if (block === undefined) return GONE;
  const { node, parent, index } = block;
  if (parent === undefined) return { refused: 'A strategy has a rule: change it, or remove what is in it.' };
  const isLast = parent.children.length === 1;
  if (isLast && isBlank(node)) return { refused: 'A group has at least one condition: write it, or remove the group.' };
  const next = parent.children[index + 1] ?? parent.children[index - 1] ?? parent;
  return { rule: without(rule, parent, key), at: next.key };
}

/** A block with all below it at another place. */
export function moved(rule: DraftNode, key: number, { group, index }: Place): Step {
  const block = blockAt(rule, key);
  if (block === undefined || blockAt(rule, group) === undefined) return GONE;
  const { node, parent } = block;
  if (parent === undefined) return { refused: 'The rule itself stays where it is.' };
  if (blockAt(node, group) !== undefined) return { refused: 'A group cannot be moved into itself.' };
  const isOwn = parent.key === group;
  if (isOwn && (parent.type === 'NOT' || index === block.index || index === block.index + 1)) return { rule, at: key };
  if (isOwn) return { rule: withNode(rule, group, (own) => reordered(own, block.index, index)), at: key };
  const rest = without(rule, parent, key);
  return limited({ rule: withNode(rest, group, (target) => holding(target, node, index)), at: key });
}

/** The same blocks in another order: nothing else of the group changes. */
function reordered(group: DraftNode, from: number, before: number): DraftNode {
  const node = group.children.slice(from, from + 1);
  const place = before > from ? before - 1 : before;
  return { ...group, children: group.children.toSpliced(from, 1).toSpliced(place, 0, ...node) };
}

/** What a step says of the votes that ask for less after it, as they have no more blocks; undefined where there is none. */
export function loweredVotes(before: DraftNode, after: DraftNode): string | undefined {
  const lowered = blocksOf(after).filter(({ node }) => {
    const was = node.type === 'VOTE' ? blockAt(before, node.key)?.node : undefined;
    return was?.type === 'VOTE' && Number(node.threshold) < Number(was.threshold);
  });
  if (lowered.length === 0) return undefined;
  const votes = lowered.map(({ node: { threshold, children } }) => `at least ${threshold} of ${children.length}`);
  return `A vote has fewer blocks now and asks for less: ${votes.join('; ')}.`;
}

/** A block one place up or down among its neighbours. */
export function shifted(rule: DraftNode, key: number, by: -1 | 1): Step {
  const block = blockAt(rule, key);
  if (block?.parent === undefined) return { rule, at: key };
  const index = by < 0 ? block.index - 1 : block.index + 2;
  if (index < 0 || index > block.parent.children.length) return { rule, at: key };
  return moved(rule, key, { group: block.parent.key, index });
}

/** A block and a copy of it behind it. */
export function doubled(rule: DraftNode, key: number): Step {
  const block = blockAt(rule, key);
  return block === undefined ? GONE : added(rule, placeAfter(rule, key), withNewKeys(block.node));
}

/** A block inside a new group. */
export function grouped(rule: DraftNode, key: number, type: GroupType): Step {
  if (blockAt(rule, key) === undefined) return GONE;
  const group = newGroup(type);
  return limited({ rule: withNode(rule, key, (node) => ({ ...group, children: [node] })), at: group.key });
}

/** A group of another kind. */
export const changedType = (rule: DraftNode, key: number, type: DraftNode['type']): Step =>
  limited({ rule: withNode(rule, key, (node) => settled(retyped(node, type))), at: key });

/** Behind a condition; at the end of a group when `isInside`. */
export function placeAfter(rule: DraftNode, key: number, isInside = false): Place {
  const { node, parent, index } = blockAt(rule, key) ?? { node: rule, parent: undefined, index: 0 };
  const isHolder = isInside && node.type !== 'EXPR';
  return parent === undefined || isHolder
    ? { group: node.key, index: node.children.length }
    : { group: parent.key, index: index + 1 };
}

export type Side = 'before' | 'into' | 'after';

/**
 * Where a block goes that is dropped on another one.
 * @param share - How far down that block the pointer is, from 0 to 1.
 */
export function placeOver(rule: DraftNode, key: number, share: number): { place: Place; side: Side } | undefined {
  const block = blockAt(rule, key);
  if (block === undefined) return undefined;
  const { node, parent, index } = block;
  const isGroup = node.type !== 'EXPR';
  const inside = { place: { group: node.key, index: node.children.length }, side: 'into' } as const;
  if (parent === undefined || (parent.type === 'NOT' && isGroup)) return inside;
  if (parent.type === 'NOT') return { place: { group: parent.key, index: 1 }, side: 'into' };
  if (isGroup && share > 0.25 && share < 0.75) return inside;
  return share < 0.5
    ? { place: { group: parent.key, index }, side: 'before' }
    : { place: { group: parent.key, index: index + 1 }, side: 'after' };
}
