import { connectMongo, createRegistry, LeaseLost } from '@castellan/service-kit';
import { aVault, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import type { Hash } from 'viem';
import { mongoChainStatus } from '../src/log/adapters/chain-status.mongo.ts';
import type { Block } from '../src/log/domain/block.ts';
import { mongoSnapshots } from '../src/vault/adapters/snapshot-store.mongo.ts';
import { snapshotOf } from './in-memory-calls.ts';

/** An indexer that stood still while another took the chain over writes neither the chain's status nor a vault's state. */

let store: TestStore;
let mongo: Connection;
let chains = 100;

beforeAll(async () => {
  store = await startTestStore();
  mongo = await connectMongo({ ...store, registry: createRegistry('test') });
});
afterAll(async () => {
  await mongo?.close();
  await store?.stop();
});

const manager = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const block = (number: number): Block => ({
  number: BigInt(number),
  hash: `0x${String(number).padStart(64, '0')}` as Hash,
  timestamp: BigInt(number),
});

function world() {
  chains += 1;
  const chain_id = chains;
  const detail = aVault({ chain_id });
  const vault = detail.vault_address.toLowerCase();
  const snapshots = mongoSnapshots(mongo);
  return {
    chain_id,
    vault,
    snapshots,
    status: mongoChainStatus(mongo),
    /** One writer, after a rollback or none. */
    on: (branch: number) => ({ chainId: chain_id, token: 1, revision: 1, branch }),
    /** A reading at a block. */
    at: (number: number) => ({ ...snapshotOf(detail, manager, []), chain_id, vault, block_number: number }),
    stored: async () => (await snapshots.get(chain_id, vault))?.block_number,
  };
}

test('error: of two writers the one with the lower token moves neither the head nor the indexed block', async () => {
  const { chain_id, status } = world();
  const [late, holder] = [1, 2].map((token) => ({ chainId: chain_id, token, branch: 0, revision: 1 }));
  if (!late || !holder) throw new Error('There are two writers.');
  await status.setIndexed(late, block(10));
  await status.setIndexed(holder, block(8));
  await status.setHead(holder, block(12));
  for (const write of [
    () => status.setIndexed(late, block(11)),
    () => status.setHead(late, block(99)),
    () => status.setBackfilled(late),
  ])
    await expect(write()).rejects.toThrow(LeaseLost);
  expect(await status.get(chain_id)).toMatchObject({ indexed_block: 8, head_block: 12 });
  expect((await status.get(chain_id)).backfilled).toBeUndefined();
});

test('error: what was read on a branch that was left is refused, also at a higher block', async () => {
  const { vault, snapshots, at, on, stored } = world();
  expect(await snapshots.save(at(100), on(0))).toBe(true);
  await snapshots.rollBack(on(7), { fromBlock: 90, vaultsLeft: [vault] });
  expect(await snapshots.save(at(105), on(0))).toBe(false);
  expect(await stored()).toBe(100);
  expect(await snapshots.save(at(92), on(7))).toBe(true);
  expect(await snapshots.save(at(106), on(0))).toBe(false);
  expect(await stored()).toBe(92);
});

test('error: a vault that a rollback took away is not brought back by a late reading, and by a new one is', async () => {
  const { chain_id, vault, snapshots, at, on, stored } = world();
  await snapshots.save(at(100), on(0));
  await snapshots.rollBack(on(7), { fromBlock: 90, vaultsLeft: [] });
  expect(await snapshots.save(at(101), on(0))).toBe(false);
  expect(await stored()).toBeUndefined();
  expect(await snapshots.all([chain_id])).toEqual([]);
  const managed = await snapshots.managedBy(manager.toLowerCase());
  expect(managed.filter((found) => found.chain_id === chain_id)).toEqual([]);
  expect(await snapshots.save(at(95), on(7))).toBe(true);
  expect(await stored()).toBe(95);
  expect((await snapshots.all([chain_id])).map((found) => found.vault)).toEqual([vault]);
});

test('behavior: on one branch the newer reading stays, and the same one can be written again', async () => {
  const { snapshots, at, on, stored } = world();
  expect(await snapshots.save(at(100), on(0))).toBe(true);
  expect(await snapshots.save(at(100), on(0))).toBe(true);
  expect(await snapshots.save(at(99), on(0))).toBe(false);
  expect(await stored()).toBe(100);
});

test('error: a writer that was overtaken neither replaces a vault nor rolls it back, also at the same block', async () => {
  const { chain_id, vault, snapshots, at, on, stored } = world();
  const [late, holder] = [
    { ...on(0), revision: 9 },
    { ...on(0), token: 2 },
  ];
  expect(await snapshots.save(at(90), late)).toBe(true);
  await snapshots.rollBack(holder, { fromBlock: 100, vaultsLeft: [vault] });
  expect(await snapshots.save(at(100), late)).toBe(false);
  expect(await snapshots.save(at(100), holder)).toBe(true);
  expect(await snapshots.save(at(100), late)).toBe(false);
  await snapshots.rollBack(late, { fromBlock: 0, vaultsLeft: [] });
  expect(await stored()).toBe(100);
  expect((await snapshots.changes(chain_id, { token: 2, revision: 0 })).map(({ isGone }) => isGone)).toEqual([false]);
});

test('error: a write of an earlier revision that comes late does not hide the later one', async () => {
  const { chain_id, snapshots, at, on } = world();
  const revision = (number: number) => ({ ...on(0), revision: number });
  expect(await snapshots.save(at(100), revision(6))).toBe(true);
  expect(await snapshots.save(at(100), revision(5))).toBe(false);
  expect(await snapshots.changes(chain_id, { token: 1, revision: 5 })).toHaveLength(1);
  expect(await snapshots.changes(chain_id, { token: 1, revision: 6 })).toEqual([]);
  expect(await snapshots.changes(chain_id)).toHaveLength(1);
});
