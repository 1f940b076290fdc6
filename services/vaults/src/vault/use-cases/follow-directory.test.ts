import { expect, test } from '@jest/globals';
import type { Directory } from '../adapters/directory.mongo.ts';
import type { Snapshot, SnapshotReader } from '../adapters/snapshot-store.mongo.ts';
import { followDirectory } from './follow-directory.ts';

const change = {
  ...{ chain_id: 31337, vault_address: '0x00000000000000000000000000000000000000A1' },
  ...{ wallet_address: '0x00000000000000000000000000000000000000B1', granted: false, version: 2 },
};

const named = {
  chain_id: null,
  vault_address: null,
  wallet_address: change.wallet_address,
  display_name: 'Ann',
  version: 2,
};

const follow = (publishRoles: (msgId: string) => void) => {
  const state = { dies: false };
  const snapshot = { block_number: 9 } as Snapshot;
  const announced: number[] = [];
  const people = followDirectory({
    directory: { applyViewOnly: async () => undefined, applyName: async () => undefined } as unknown as Directory,
    snapshots: { get: async () => snapshot, managedBy: async () => [snapshot] } as unknown as SnapshotReader,
    announce: async ({ block_number }) => {
      if (state.dies) throw new Error('killed');
      announced.push(block_number);
    },
    publishRoles: async (_change, msgId) => publishRoles(msgId),
  });
  return { people, announced, state };
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
  expect(announced).toEqual([9]);
});

test('behavior: what could not be announced is announced when it is delivered again, though it is known by then', async () => {
  const { people, announced, state } = follow(() => undefined);
  for (const deliver of [() => people.nameChanged(named), () => people.viewOnlyChanged(change)]) {
    state.dies = true;
    await expect(deliver()).rejects.toThrow('killed');
    state.dies = false;
    await deliver();
    expect(announced.splice(0)).toEqual([9]);
  }
});

test('default: roles are published once the grant is known here, and open dashboards read anew', async () => {
  const published: string[] = [];
  const { people, announced } = follow((msgId) => void published.push(msgId));
  await people.viewOnlyChanged(change);
  expect([published.length, announced]).toEqual([1, [9]]);
});
