import { createHash } from 'node:crypto';
import { TreeArtifact } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { artifactOf } from './artifact.ts';

const address = `0x${'11'.repeat(20)}`;
const hash = (index: number) => `0x${index.toString(16).padStart(64, '0')}`;
const head = {
  root_hash: hash(1),
  leaf_encoding: ['address', 'bytes'],
  chain_id: 1,
  vault_address: address,
  strategy_address: address,
};
const leaves = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    index,
    leaf_hash: hash(index),
    hook_address: address,
    hook_name: 'Dépôt',
    encoded_args: '0x',
    proof: [hash(2), hash(3)],
  }));

describe('an artifact', () => {
  test.each([1, 1_500])(
    'default: %i leaves are one text under the hash of its bytes, in parts below a message',
    (count) => {
      const { hash: name, bytes, parts } = artifactOf(head, leaves(count));
      const text = parts.join('');
      expect(TreeArtifact.parse(JSON.parse(text))).toEqual({ ...head, leaves: leaves(count) });
      expect(name).toBe(`0x${createHash('sha256').update(text).digest('hex')}`);
      expect(bytes).toBe(Buffer.byteLength(text));
      for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThan(512 * 1_024);
      expect(parts.length).toBe(count === 1 ? 1 : 2);
    },
  );

  test('behavior: the same tree has the same name', () => {
    expect(artifactOf(head, leaves(3)).hash).toBe(artifactOf(head, leaves(3)).hash);
    expect(artifactOf(head, leaves(2)).hash).not.toBe(artifactOf(head, leaves(3)).hash);
  });
});
