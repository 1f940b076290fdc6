import { connectMongo, createRegistry, LeaseLost } from '@castellan/service-kit';
import { aVault, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import type { Hash } from 'viem';
import { mongoChainStatus } from '../src/log/adapters/chain-status.mongo.ts';
import { OwnChains } from '../src/log/adapters/own-chains.ts';
import { ownStatus } from '../src/log/adapters/own-status.ts';
import type { Block } from '../src/log/domain/block.ts';
import { SnapshotCopy } from '../src/vault/adapters/snapshot-copy.ts';
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
  expect(await snapshots.rollBack(on(7), { fromBlock: 90, vaultsLeft: [] })).toEqual([vault]);
  expect(await snapshots.rollBack(on(7), { fromBlock: 90, vaultsLeft: [] })).toEqual([]);
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

/** What one instance answers from, and its lease, which the test gives and takes. */
async function anInstance(chain_id: number, token: number) {
  const held: { token: number | undefined } = { token };
  const own = new OwnChains();
  own.follow(chain_id, () => held.token);
  const takeOver = async () => ({ token, seq: 0, rollbacks: [] });
  await own.writing(chain_id, takeOver, (head) => ({ head }));
  const status = ownStatus(mongoChainStatus(mongo), own, () => 0);
  const copy = new SnapshotCopy({ store: mongoSnapshots(mongo), status, chainIds: () => [chain_id], now: () => 0 });
  return { held, status, copy, writer: { chainId: chain_id, token, branch: 0, revision: 1 } };
}

test('error: a holder that stood still until its lease ended gives no role that its successor took away', async () => {
  const { chain_id, vault, snapshots, at } = world();
  const successorsManager = '0x00000000000000000000000000000000000000b2';
  const managersOf = async ({ copy }: Awaited<ReturnType<typeof anInstance>>) => {
    const wallets = [manager.toLowerCase(), successorsManager];
    const roles = await Promise.all(wallets.map((wallet) => copy.managedBy(wallet)));
    return { byVault: (await copy.get(chain_id, vault))?.wallets, byWallet: roles.map((found) => found.length) };
  };
  const late = await anInstance(chain_id, 1);
  await snapshots.save(at(100), late.writer);
  await late.status.setIndexed(late.writer, block(100));
  expect(await managersOf(late)).toEqual({ byVault: [manager.toLowerCase()], byWallet: [1, 0] });
  const holder = await anInstance(chain_id, 2);
  await snapshots.rollBack(holder.writer, { fromBlock: 101, vaultsLeft: [vault] });
  await snapshots.save({ ...at(101), wallets: [successorsManager] }, holder.writer);
  await holder.status.setIndexed(holder.writer, block(101));
  const removed = { byVault: [successorsManager], byWallet: [0, 1] };
  expect(await managersOf(holder)).toEqual(removed);
  late.held.token = undefined;
  expect(await managersOf(late)).toEqual(removed);
  // What it was about to write when it stood still.
  const belated = { ...late.writer, revision: 9 };
  expect(await snapshots.save(at(102), belated)).toBe(false);
  await expect(late.status.setIndexed(belated, block(102))).rejects.toThrow(LeaseLost);
  for (const instance of [late, holder]) expect(await managersOf(instance)).toEqual(removed);
});
