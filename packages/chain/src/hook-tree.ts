import { type Address, concat, encodeAbiParameters, type Hex, keccak256 } from 'viem';

/**
 * Leaf of a hooks tree: keccak256(keccak256(abi.encode(hook, args))).
 * @param args - What `hook.inspect(hookCalldata)` returns: packed addresses, never amounts.
 */
export const hookLeaf = (hook: Address, args: Hex): Hex =>
  keccak256(keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes' }], [hook, args])));

const hashPair = (a: Hex, b: Hex): Hex => keccak256(BigInt(a) < BigInt(b) ? concat([a, b]) : concat([b, a]));

/** Root of a hooks tree and the proof of each of its leaves. */
export type HookTree = { root: Hex; proofOf(leaf: Hex): Hex[] };

/**
 * Builds the tree over the leaves, shaped as OpenZeppelin's StandardMerkleTree, so that published roots compare equal.
 * One leaf gives root = leaf and an empty proof.
 * @throws {RangeError} without leaves, and from `proofOf` for a leaf that is not in the tree.
 */
export function hookTree(leaves: readonly Hex[]): HookTree {
  const sorted = [...leaves].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
  const size = 2 * sorted.length - 1;
  const nodes: Hex[] = [];
  const nodeAt = (index: number): Hex => {
    const node = nodes[index];
    if (node === undefined) throw new RangeError('A hooks tree needs at least one leaf');
    return node;
  };
  for (const [index, leaf] of sorted.entries()) nodes[size - 1 - index] = leaf;
  for (let index = sorted.length - 2; index >= 0; index -= 1) {
    nodes[index] = hashPair(nodeAt(2 * index + 1), nodeAt(2 * index + 2));
  }
  const proofOf = (leaf: Hex): Hex[] => {
    const position = sorted.indexOf(leaf);
    if (position === -1) throw new RangeError('The leaf is not in this hooks tree');
    const proof: Hex[] = [];
    for (let index = size - 1 - position; index > 0; index = (index - 1) >> 1) {
      proof.push(nodeAt(index % 2 === 1 ? index + 1 : index - 1));
    }
    return proof;
  };
  return { root: nodeAt(0), proofOf };
}

/** Whether the proof leads from the leaf to the root, as the aggregator's `validateHook` checks it. */
export const verifyHookProof = (leaf: Hex, proof: readonly Hex[], root: Hex): boolean =>
  proof.reduce((node, sibling) => hashPair(node, sibling), leaf) === root;
