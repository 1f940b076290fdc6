import { connectMongo, createRegistry, ensureIndexes, LeaseLost } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import type { Hash } from 'viem';
import { mongoBlockStore } from '../src/log/adapters/block-store.mongo.ts';
import { mongoChainLog } from '../src/log/adapters/chain-log.mongo.ts';
import type { Block } from '../src/log/domain/block.ts';
import { type EntryDraft, isoTime, rollbackDraft } from '../src/log/domain/log-entry.ts';
import { chainBlockCollection } from '../src/log/models/chain-block.ts';
import { chainCommitCollection } from '../src/log/models/chain-commit.ts';
import { chainLogCollection } from '../src/log/models/chain-log.ts';

let store: TestStore;
let connection: Connection;
let chains = 0;

beforeAll(async () => {
  store = await startTestStore();
  connection = await connectMongo({ uri: store.uri, database: store.database, registry: createRegistry('test') });
  mongoChainLog(connection);
  await ensureIndexes(connection);
});
afterAll(async () => {
  await connection.close();
  await store.stop();
});

const block = (number: number, branch = 'a'): Block => ({
  number: BigInt(number),
  hash: `0x${branch}${String(number).padStart(63, '0')}` as Hash,
  timestamp: BigInt(number),
});
const logOf = (number: number, branch = 'a', log_index = 0): EntryDraft => ({
  kind: 'log',
  block_number: number,
  block_hash: block(number, branch).hash,
  block_time: isoTime(BigInt(number)),
  tx_hash: block(number, branch).hash,
  log_index,
  address: null,
  contract: null,
  vault_address: null,
  name: 'Something',
  args: {},
});
const kept = { checkpoint: false };

/** The stores of a chain that no other test has. */
function world() {
  chains += 1;
  const chainId = chains;
  const log = mongoChainLog(connection);
  const blocks = mongoBlockStore(connection);
  const told = async () =>
    (await log.page(chainId, 0, 10_000)).map(({ seq, block_hash, kind }) => [seq, kind, block_hash]);
  return { chainId, log, blocks, told };
}

test('default: entries are numbered without a gap over several commits, and what is there is not added again', async () => {
  const { chainId, log, told } = world();
  const drafts = Array.from({ length: 1_201 }, (_, index) => logOf(1, 'a', index));
  const first = await log.append(chainId, await log.takeOver(chainId, 1), drafts.slice(0, 700));
  const second = await log.append(chainId, first.head, drafts);
  expect([first.appended.length, second.appended.length, second.head.seq]).toEqual([700, 501, 1_201]);
  expect((await told()).map(([seq]) => seq)).toEqual(drafts.map((_, index) => index + 1));
});

test('behavior: a writer that was overtaken adds no entry and no block, and cannot take the log back', async () => {
  const { chainId, log, blocks, told } = world();
  const late = await log.takeOver(chainId, 1);
  const head = await log.takeOver(chainId, 2);
  await log.cover(chainId, head, [block(1, 'b')], kept);
  // The log ends where the late writer believes it ends: only the token tells it apart.
  expect(late.seq).toBe(head.seq);
  await expect(log.append(chainId, late, [logOf(1)])).rejects.toThrow(LeaseLost);
  await expect(log.cover(chainId, late, [block(1), block(2)], kept)).rejects.toThrow(LeaseLost);
  await expect(log.takeOver(chainId, 1)).rejects.toThrow(LeaseLost);
  expect(await told()).toEqual([]);
  expect(await blocks.living(chainId, head)).toEqual([block(1, 'b')]);
});

test('behavior: a write that was planned on an older end of the log is refused, even with the right token', async () => {
  const { chainId, log, told } = world();
  const old = await log.takeOver(chainId, 1);
  const { head } = await log.append(chainId, old, [logOf(1)]);
  await expect(log.append(chainId, old, [logOf(2)])).rejects.toThrow(LeaseLost);
  await expect(log.cover(chainId, old, [block(2)], kept)).rejects.toThrow(LeaseLost);
  await log.cover(chainId, head, [block(1)], kept);
  expect(await told()).toEqual([[1, 'log', block(1).hash]]);
});

test('behavior: what a writer had committed and not copied when it ended is completed by the next', async () => {
  const { chainId, log, blocks, told } = world();
  const drafts = [logOf(1), logOf(2), logOf(3)];
  const { head } = await log.append(chainId, await log.takeOver(chainId, 1), drafts);
  const whole = await told();
  await chainLogCollection(connection).deleteMany({ chain_id: chainId, seq: { $gt: 1 } });
  expect((await log.takeOver(chainId, 2)).seq).toBe(3);
  expect(await told()).toEqual(whole);

  await log.cover(chainId, { ...head, token: 2 }, [block(2), block(3)], kept);
  await chainBlockCollection(connection).deleteMany({ chain_id: chainId, number: 3 });
  expect(await blocks.living(chainId, await log.takeOver(chainId, 3))).toEqual([block(3), block(2)]);
});

test('behavior: a writer that copies late leaves the blocks of the next one alone', async () => {
  const { chainId, log, blocks } = world();
  const first = await log.takeOver(chainId, 1);
  await log.cover(chainId, first, [block(1), block(2)], kept);
  const committed = await chainCommitCollection(connection).findOne({ _id: chainId });
  const second = await log.append(chainId, await log.takeOver(chainId, 2), [rollbackDraft(2, block(1), block(2))]);
  await log.cover(chainId, second.head, [block(2, 'b')], kept);
  await blocks.copy(committed?.blocks ?? []);
  expect(await blocks.living(chainId, second.head)).toEqual([block(2, 'b'), block(1)]);
});

test('behavior: a log from before there were commits goes on where it ends', async () => {
  const { chainId, log, told } = world();
  await log.append(chainId, await log.takeOver(chainId, 1), [logOf(1)]);
  await chainCommitCollection(connection).deleteOne({ _id: chainId });
  await log.append(chainId, await log.takeOver(chainId, 2), [logOf(2)]);
  expect((await told()).map(([seq]) => seq)).toEqual([1, 2]);
});
