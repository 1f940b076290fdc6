import { hookLeaf, hookTree, verifyHookProof } from '@castellan/chain';
import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import fc from 'fast-check';
import { type Address, encodePacked, getAddress, type Hex, pad, toHex } from 'viem';
import { buildTree, distinct, type LeafValue, leafEncoding, proofAt, proves } from './tree.ts';

const value = (index: number): LeafValue => ({
  hook: getAddress(pad(toHex(index + 1), { size: 20 })),
  args: encodePacked(['address'], [getAddress(pad(toHex(index * 7 + 1), { size: 20 }))]),
});
const leafOf = ({ hook, args }: LeafValue): Hex => hookLeaf(hook, args);

describe('a tree', () => {
  test('default: its leaves are those of the protocol', () => {
    const hook: Address = '0xba687c9D5113a3B2692fd87b0F389dD5fF402808';
    const args = `0x${'11'.repeat(20)}${'22'.repeat(20)}` as const;
    // The test vector of the protocol's notes; a tree of one leaf has it as its root.
    const { root, nodes, places } = buildTree([{ hook, args }]);
    expect(root).toBe('0x5856653420c4869ab8e87e6dded012be1f8ae58c22f0308aa19b1275a125b993');
    expect(proofAt((place) => nodes[place], places[0] as number)).toEqual([]);
  });

  test('behavior: root and proofs are those of an independent builder, whatever the number of leaves', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), (count) => {
        const values = Array.from({ length: count }, (_, index) => value(index));
        const built = buildTree(values);
        const other = hookTree(values.map(leafOf));
        const standard = StandardMerkleTree.of(
          values.map(({ hook, args }) => [hook, args]),
          leafEncoding,
        );
        expect([built.root, built.nodes]).toEqual([other.root, standard.dump().tree]);
        for (const [index, item] of values.entries()) {
          const proof = proofAt((place) => built.nodes[place], built.places[index] as number);
          expect(proof).toEqual(other.proofOf(leafOf(item)));
          expect(verifyHookProof(leafOf(item), proof, built.root)).toBe(true);
          expect(proves(built.root, item, proof)).toBe(true);
        }
      }),
      runs(125),
    );
  });

  test('behavior: a proof does not hold for another leaf', () => {
    const values = [value(0), value(1), value(2)];
    const { root, nodes, places } = buildTree(values);
    const proof = proofAt((place) => nodes[place], places[0] as number);
    expect(proves(root, value(1), proof)).toBe(false);
    expect(proves(root, value(9), proof)).toBe(false);
  });

  test('behavior: rows with one leaf are one', () => {
    const lower = { ...value(0), hook: value(0).hook.toLowerCase() as Address };
    expect(distinct([value(0), value(1), lower, value(1)])).toEqual([value(0), value(1)]);
  });

  test('error: nothing to build of', () => {
    expect(() => buildTree([])).toThrow('non-zero number of leaves');
  });
});
