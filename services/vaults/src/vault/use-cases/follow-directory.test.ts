import { expect, test } from '@jest/globals';
import type { Directory } from '../adapters/directory.mongo.ts';
import type { Snapshot, SnapshotReader } from '../adapters/snapshot-store.mongo.ts';
import { followDirectory } from './follow-directory.ts';

const change = {
  ...{ chain_id: 31337, vault_address: '0x00000000000000000000000000000000000000A1' },
  ...{ wallet_address: '0x00000000000000000000000000000000000000B1', granted: false, version: 2 },
};

const follow = (publishRoles: (msgId: string) => void) => {
  let known = 1;
  const announced: number[] = [];
  const people = followDirectory({
    directory: {
      applyViewOnly: async ({ version }: { version: number }) => {
        const isNew = version > known;
        known = Math.max(known, version);
        return isNew;
      },
    } as unknown as Directory,
    snapshots: { get: async () => ({ block_number: 9 }) as Snapshot } as unknown as SnapshotReader,
    announce: async ({ block_number }) => void announced.push(block_number),
    publishRoles: async (_change, msgId) => publishRoles(msgId),
  });
  return { people, announced };
};

test('behavior: a grant that was applied by a process that died is published all the same, under the same id', async () => {
  const published: string[] = [];
  let dies = true;
  const { people, announced } = follow((msgId) => {
    published.push(msgId);
    if (dies) throw new Error('killed');
  });
  await expect(people.viewOnlyChanged(change)).rejects.toThrow('killed');
  dies = false;
  await people.viewOnlyChanged(change);
  expect(published).toHaveLength(2);
  expect(new Set(published).size).toBe(1);
  expect(announced).toEqual([]);
});

test('default: roles are published once the grant is known here, and open dashboards read anew', async () => {
  const published: string[] = [];
  const { people, announced } = follow((msgId) => void published.push(msgId));
  await people.viewOnlyChanged(change);
  expect([published.length, announced]).toEqual([1, [9]]);
});
