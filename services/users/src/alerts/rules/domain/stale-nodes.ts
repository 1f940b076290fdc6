import type { FactEvent, Sample } from '../../journal/domain/journal.ts';

/** A validator that waits for a price: `nodeId` is null in items from before it was kept, `index` while it had no place in the network. */
export type StaleNode = { readonly nodeId: string | null; readonly index: number | null };

/** What it was known by before its id was kept. */
const indexKey = (index: number | null): string => `index ${index}`;

/**
 * What validators said last, after one more word of one of them. A validator is known by its id: its index is another one in the next
 * configuration of the network, and it has none outside of it.
 */
export function withWordOf(
  before: ReadonlyMap<string, StaleNode>,
  { node_id, index, stale }: Extract<FactEvent, { type: 'node_price' }>,
): ReadonlyMap<string, StaleNode> {
  const nodeId = node_id ?? null;
  const after = new Map(before);
  after.delete(indexKey(index));
  const key = nodeId === null ? indexKey(index) : `node ${nodeId}`;
  if (stale) after.set(key, { nodeId, index });
  else after.delete(key);
  return after;
}

/**
 * The indexes of the network's members that wait for a price, each under the configuration that was read last. Who left the network prices
 * nothing, and may never take back what it said. A member whose id is not known yet is the one that had its index.
 */
export function staleMembers(stale: ReadonlyMap<string, StaleNode>, members: Sample['nodes']): number[] {
  const indexes = [...stale.values()].map(({ nodeId, index }) => {
    if (members === undefined) return index;
    const known = members.find(({ node_id = null }) => node_id !== null && node_id === nodeId);
    const member = known ?? members.find((each) => each.index === index && (nodeId === null || !each.node_id));
    return member?.index ?? null;
  });
  return [...new Set(indexes.filter((index) => index !== null))];
}
