import { hookLeaf } from '@castellan/chain';
import { describe, expect, test } from '@jest/globals';
import { type Address, getAddress, type Hex, pad, toHex } from 'viem';
import { artifactOf } from './artifact.ts';
import { buildTree, leafEncoding, proofAt } from './tree.ts';
import { ArtifactNotVerified, verifyArtifact } from './verify-artifact.ts';

const addressOf = (number: number): Address => getAddress(pad(toHex(number), { size: 20 }));

/** A published tree of so many leaves, as it is written. */
function published(count: number) {
  const values = Array.from({ length: count }, (_, index) => ({
    hook: addressOf(index + 1),
    args: pad(toHex(index + 7), { size: 20 }),
  }));
  const { root, nodes, places } = buildTree(values);
  const leaves = values.map(({ hook, args }, index) => ({
    index,
    leaf_hash: hookLeaf(hook, args),
    hook_address: hook,
    hook_name: 'Dépôt',
    encoded_args: args,
    proof: proofAt((place) => nodes[place], places[index] ?? 0),
  }));
  const head = {
    root_hash: root,
    leaf_encoding: leafEncoding,
    chain_id: 1,
    vault_address: addressOf(98),
    strategy_address: addressOf(99),
  };
  const { hash, parts } = artifactOf(head, leaves);
  return { root, hash: hash as Hex, text: parts.join(''), head, leaves };
}
type Published = ReturnType<typeof published>;

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = ({ head, leaves }: Pick<Published, 'head' | 'leaves'>, more: object = {}) =>
  JSON.stringify({ ...head, ...more, leaves });
const other = `0x${'0'.repeat(63)}1` as const;

describe('verifying a published tree', () => {
  test.each([1, 2, 5, 64])('default: %i leaves as they are written', (count) => {
    const { text, hash, root } = published(count);
    const upper = root.toUpperCase().replace('0X', '0x') as Hex;
    for (const known of [{}, { hash, root }, { root: upper }]) {
      const found = verifyArtifact(bytesOf(text), known);
      expect([found.hash, found.artifact.leaves.length]).toEqual([hash, count]);
    }
  });

  test.each<[string, (tree: Published) => string]>([
    ['it is not JSON', () => 'not JSON'],
    ['it is no artifact: root_hash', () => '{}'],
    ['it is no artifact: the file', (tree) => textOf(tree, { signed: true })],
    ['it has no leaves', (tree) => textOf({ ...tree, leaves: [] })],
    ['its leaves make the root', (tree) => textOf({ ...tree, leaves: tree.leaves.slice(0, -1) })],
    ['leaf 1 stands at the place of leaf 0', (tree) => textOf({ ...tree, leaves: tree.leaves.slice(1) })],
    ['leaf 0 is not of its hook', (tree) => textOf(withLeaf(tree, { hook_address: addressOf(55) }))],
    ['leaf 0 is not of its hook', (tree) => textOf(withLeaf(tree, { encoded_args: '0x55' }))],
    ['leaf 3 is there twice', (tree) => textOf({ ...tree, leaves: [...tree.leaves, ...again(tree)] })],
    ['the proof of leaf 0 does not', (tree) => textOf(withLeaf(tree, { proof: [other] }))],
    ['its leaves make the root', (tree) => textOf(tree, { root_hash: other })],
  ])('error: %s', (message, forge) => {
    expect(() => verifyArtifact(bytesOf(forge(published(3))), {})).toThrow(message);
  });

  test('error: another name or another root than is known', () => {
    const { text, hash } = published(3);
    const of = (known: object) => () => verifyArtifact(bytesOf(text), known);
    expect(of({ hash: other })).toThrow(new ArtifactNotVerified(`its SHA-256 is ${hash}, not ${other}`));
    expect(of({ root: other })).toThrow('not of');
    expect(() => verifyArtifact(bytesOf(`${text} `), { hash })).toThrow('its SHA-256');
  });

  test('error: bytes that are no text are not read as one', () => {
    const bytes = bytesOf(published(3).text);
    const at = bytes.indexOf(0xc3);
    bytes[at] = 0xff;
    expect(() => verifyArtifact(bytes, {})).toThrow('it is not JSON');
  });
});

function withLeaf(tree: Published, change: object): Published {
  return { ...tree, leaves: tree.leaves.map((leaf, index) => (index === 0 ? { ...leaf, ...change } : leaf)) };
}

const again = ({ leaves }: Published) => leaves.slice(0, 1).map((leaf) => ({ ...leaf, index: leaves.length }));
