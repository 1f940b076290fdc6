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
    /** A reading at a block. */
    at: (number: number) => ({ ...snapshotOf(detail, manager, []), chain_id, vault, block_number: number }),
    stored: async () => (await snapshots.get(chain_id, vault))?.block_number,
  };
}

test('error: of two writers the one with the lower token moves neither the head nor the indexed block', async () => {
  const { chain_id, status } = world();
  const [late, holder] = [1, 2].map((token) => ({ chainId: chain_id, token, branch: 0 }));
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
  const { chain_id, vault, snapshots, at, stored } = world();
  expect(await snapshots.save(at(100), 0)).toBe(true);
  await snapshots.rollBack(chain_id, { seq: 7, fromBlock: 90 }, [vault]);
  expect(await snapshots.save(at(105), 0)).toBe(false);
  expect(await stored()).toBe(100);
  expect(await snapshots.save(at(92), 7)).toBe(true);
  expect(await snapshots.save(at(106), 0)).toBe(false);
  expect(await stored()).toBe(92);
});

test('error: a vault that a rollback took away is not brought back by a late reading, and by a new one is', async () => {
  const { chain_id, vault, snapshots, at, stored } = world();
  await snapshots.save(at(100), 0);
  await snapshots.rollBack(chain_id, { seq: 7, fromBlock: 90 }, []);
  expect(await snapshots.save(at(101), 0)).toBe(false);
  expect(await stored()).toBeUndefined();
  expect(await snapshots.all([chain_id])).toEqual([]);
  const managed = await snapshots.managedBy(manager.toLowerCase());
  expect(managed.filter((found) => found.chain_id === chain_id)).toEqual([]);
  expect(await snapshots.save(at(95), 7)).toBe(true);
  expect(await stored()).toBe(95);
  expect((await snapshots.all([chain_id])).map((found) => found.vault)).toEqual([vault]);
});

test('behavior: on one branch the newer reading stays, and the same one can be written again', async () => {
  const { snapshots, at, stored } = world();
  expect(await snapshots.save(at(100), 0)).toBe(true);
  expect(await snapshots.save(at(100), 0)).toBe(true);
  expect(await snapshots.save(at(99), 0)).toBe(false);
  expect(await stored()).toBe(100);
});
