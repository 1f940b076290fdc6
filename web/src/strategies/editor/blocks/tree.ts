import type { Explanation } from '@castellan/strategy';
import type { DraftNode } from '../draft.ts';

/** A node of the rule as a block of the canvas: where it is in the rule, and how it is called. */
export type Block = {
  readonly node: DraftNode;
  /** As faults name it: `rules.children.0`. */
  readonly path: string;
  /** How it is called aloud: "1.2"; empty for the rule itself. */
  readonly number: string;
  readonly parent: DraftNode | undefined;
  /** Its place among the children of its parent. */
  readonly index: number;
};

const childPath = (parent: DraftNode, path: string, index: number): string =>
  parent.type === 'NOT' ? `${path}.child` : `${path}.children.${index}`;

/** The blocks below one, in their order. */
export const childrenOf = ({ node, path, number }: Block): Block[] =>
  node.children.map((child, index) => ({
    node: child,
    path: childPath(node, path, index),
    number: number === '' ? String(index + 1) : `${number}.${index + 1}`,
    parent: node,
    index,
  }));

export const rootBlock = (rule: DraftNode): Block => ({
  node: rule,
  path: 'rules',
  number: '',
  parent: undefined,
  index: 0,
});

const withAllBelow = (block: Block): Block[] => [block, ...childrenOf(block).flatMap(withAllBelow)];

/** All blocks of a rule in the order one reads them. */
export const blocksOf = (rule: DraftNode): Block[] => withAllBelow(rootBlock(rule));

export const blockAt = (rule: DraftNode, key: number): Block | undefined =>
  blocksOf(rule).find(({ node }) => node.key === key);

/** How many blocks a rule has. */
export const countOf = ({ children }: DraftNode): number => children.reduce((sum, child) => sum + countOf(child), 1);

/** How many levels a rule has. */
export const depthOf = ({ children }: DraftNode): number => 1 + Math.max(0, ...children.map(depthOf));

/** A condition that nobody wrote yet. */
export const isBlank = ({ type, expr }: DraftNode): boolean => type === 'EXPR' && expr.trim() === '';

/** Whether each node holds on the vault as it is, by its path; null where that cannot be known. */
export function resultsOf(explained: Explanation | undefined, path = 'rules'): Map<string, boolean | null> {
  if (explained === undefined) return new Map();
  const { type, result, children = [] } = explained;
  const below = children.flatMap((child, index) => [
    ...resultsOf(child, type === 'NOT' ? `${path}.child` : `${path}.children.${index}`),
  ]);
  return new Map([[path, result], ...below]);
}
