import { connectMongo, createRegistry, ensureIndexes, LeaseLost } from '@castellan/service-kit';
import { startTestStore, type TestStore, testTraces } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import type { Hash } from 'viem';
import { mongoBlockStore } from '../src/log/adapters/block-store.mongo.ts';
import { blockTraces } from '../src/log/adapters/block-traces.mongo.ts';
import { mongoChainLog } from '../src/log/adapters/chain-log.mongo.ts';
import type { Block } from '../src/log/domain/block.ts';
import { type EntryDraft, entryKey, isoTime, rollbackDraft } from '../src/log/domain/log-entry.ts';
import { chainBlockCollection } from '../src/log/models/chain-block.ts';
import { chainCommitCollection } from '../src/log/models/chain-commit.ts';
import { chainLogCollection, type LogEndDocument } from '../src/log/models/chain-log.ts';

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
  const stored = async () =>
    (await log.page(chainId, 0, 10_000)).map(({ seq, block_hash, kind }) => [seq, kind, block_hash]);
  return { chainId, log, blocks, stored };
}

test('default: entries are numbered without a gap over several commits, and what is there is not added again', async () => {
  const { chainId, log, stored } = world();
  const drafts = Array.from({ length: 1_201 }, (_, index) => logOf(1, 'a', index));
  const first = await log.append(chainId, await log.takeOver(chainId, 1), drafts.slice(0, 700));
  const second = await log.append(chainId, first.head, drafts);
  expect([first.appended.length, second.appended.length, second.head.seq]).toEqual([700, 501, 1_201]);
  expect((await stored()).map(([seq]) => seq)).toEqual(drafts.map((_, index) => index + 1));
});

test('behavior: a writer that was overtaken adds no entry and no block, and cannot take the log back', async () => {
  const { chainId, log, blocks, stored } = world();
  const late = await log.takeOver(chainId, 1);
  const head = await log.takeOver(chainId, 2);
  await log.cover(chainId, head, [block(1, 'b')], kept);
  // The log ends where the late writer believes it ends: only the token tells it apart.
  expect(late.seq).toBe(head.seq);
  await expect(log.append(chainId, late, [logOf(1)])).rejects.toThrow(LeaseLost);
  await expect(log.cover(chainId, late, [block(1), block(2)], kept)).rejects.toThrow(LeaseLost);
  await expect(log.takeOver(chainId, 1)).rejects.toThrow(LeaseLost);
  expect(await stored()).toEqual([]);
  expect(await blocks.living(chainId, head)).toEqual([block(1, 'b')]);
});

test('behavior: a write that was planned on an older end of the log is refused, even with the right token', async () => {
  const { chainId, log, stored } = world();
  const old = await log.takeOver(chainId, 1);
  const { head } = await log.append(chainId, old, [logOf(1)]);
  await expect(log.append(chainId, old, [logOf(2)])).rejects.toThrow(LeaseLost);
  await expect(log.cover(chainId, old, [block(2)], kept)).rejects.toThrow(LeaseLost);
  await log.cover(chainId, head, [block(1)], kept);
  expect(await stored()).toEqual([[1, 'log', block(1).hash]]);
});

test('behavior: what a writer had begun when it ended is gone on from by the next', async () => {
  const { chainId, log, blocks, stored } = world();
  const drafts = [logOf(1), logOf(2), logOf(3)];
  await log.append(chainId, await log.takeOver(chainId, 1), drafts);
  const whole = await stored();
  // It ended after the second entry of three: there is no end behind them.
  await chainLogCollection(connection).deleteMany({ chain_id: chainId, $nor: [{ seq: { $lte: 2 } }] });
  const next = await log.takeOver(chainId, 2);
  expect(next.seq).toBe(2);
  const { head, appended } = await log.append(chainId, next, drafts);
  expect([appended.length, await stored()]).toEqual([1, whole]);

  await log.cover(chainId, head, [block(2), block(3)], kept);
  await chainBlockCollection(connection).deleteMany({ chain_id: chainId, number: 3 });
  expect(await blocks.living(chainId, await log.takeOver(chainId, 3))).toEqual([block(3), block(2)]);
});

test('error: a writer that stood still in the middle of its batch adds nothing behind what the next one wrote', async () => {
  const { chainId, log, stored } = world();
  const collection = chainLogCollection(connection);
  const first = await log.append(chainId, await log.takeOver(chainId, 1), [logOf(1)]);
  // The step before the second: its first entry is written, the rest is not.
  await log.append(chainId, first.head, [logOf(2)]);
  await collection.deleteMany({ chain_id: chainId, seq: null } as never);
  const second = await log.append(chainId, await log.takeOver(chainId, 2), [logOf(3)]);
  await expect(log.append(chainId, { ...first.head, seq: 2 }, [logOf(4)])).rejects.toThrow(LeaseLost);
  const late = { _id: `${chainId}:3`, chain_id: chainId, seq: 3, key: 'late', ...logOf(4), vault: null };
  await expect(collection.insertOne(late)).rejects.toMatchObject({ code: 11_000 });
  expect(second.head.seq).toBe(3);
  expect((await stored()).map(([seq]) => seq)).toEqual([1, 2, 3]);
});

test('behavior: a writer that copies late leaves the blocks of the next one alone', async () => {
  const { chainId, log, blocks } = world();
  const first = await log.takeOver(chainId, 1);
  await log.cover(chainId, first, [block(1), block(2)], kept);
  const written = await connection.collection<LogEndDocument>('chain_log').findOne({ chain_id: chainId, seq: null });
  const second = await log.append(chainId, await log.takeOver(chainId, 2), [rollbackDraft(2, block(1), block(2))]);
  await log.cover(chainId, second.head, [block(2, 'b')], kept);
  await blocks.copy(written?.blocks ?? []);
  expect(written?.blocks).toHaveLength(2);
  expect(await blocks.living(chainId, second.head)).toEqual([block(2, 'b'), block(1)]);
});

test('behavior: readers do not see the end', async () => {
  const { chainId, log } = world();
  const { head } = await log.append(chainId, await log.takeOver(chainId, 1), [logOf(1), logOf(2)]);
  expect((await log.page(chainId, 0, 10)).map(({ seq }) => seq)).toEqual([1, 2]);
  expect(await log.headSeq(chainId)).toBe(2);
  expect(await log.blocksAbove(chainId, head, 0n)).toEqual([block(1), block(2)]);
  expect(await log.livingNamed(chainId, head, ['Something'])).toHaveLength(2);
});

describe('a store of the former version', () => {
  /** As that version wrote it: each entry in the commit of its chain, then copied to the log. */
  async function former(copied: number, drafts = [logOf(1), logOf(2), logOf(3)]) {
    const { chainId, ...rest } = world();
    const entries = drafts.map((draft, index) => ({
      _id: `${chainId}:${index + 1}`,
      chain_id: chainId,
      seq: index + 1,
      ...draft,
      key: entryKey(draft, 0),
      vault: null,
    }));
    const last = {
      _id: `${chainId}:3`,
      chain_id: chainId,
      number: 3,
      hash: block(3).hash,
      timestamp: 3,
      seq: 3,
      checkpoint: false,
    };
    const commits = chainCommitCollection(connection);
    await commits.insertOne({ _id: chainId, token: 7, seq: 3, entries: entries.slice(1), blocks: [last] });
    if (copied > 0) await chainLogCollection(connection).insertMany(entries.slice(0, copied));
    return { chainId, commits, ...rest };
  }
  const numbers = (found: unknown[][]) => found.map(([seq]) => seq);

  test.each([3, 2, 1])('behavior: is gone on from, with %s of 3 entries copied', async (copied) => {
    const { chainId, log, blocks, stored } = await former(copied);
    const head = await log.takeOver(chainId, 8);
    expect([head.seq, numbers(await stored())]).toEqual([3, [1, 2, 3]]);
    expect(await blocks.living(chainId, head)).toEqual([block(3)]);
    await log.append(chainId, head, [logOf(3), logOf(4)]);
    expect(numbers(await stored())).toEqual([1, 2, 3, 4]);
  });

  test('behavior: a move that was cut short is made again, and the source is kept', async () => {
    const { chainId, commits, log, stored } = await former(2);
    await log.takeOver(chainId, 8);
    await chainLogCollection(connection).deleteMany({ chain_id: chainId, $nor: [{ seq: { $lte: 2 } }] });
    expect((await log.takeOver(chainId, 9)).seq).toBe(3);
    expect(numbers(await stored())).toEqual([1, 2, 3]);
    expect(await commits.findOne({ _id: chainId })).toMatchObject({ seq: 3, entries: [{ seq: 2 }, { seq: 3 }] });
  });

  test('error: a process of that version writes nothing any more', async () => {
    const { chainId, commits, log } = await former(3);
    await log.takeOver(chainId, 8);
    const taken = await commits.updateOne({ _id: chainId, token: { $lte: 9_999 } }, { $set: { token: 9_999 } });
    const written = await commits.updateOne({ _id: chainId, token: 7, seq: 3 }, { $set: { seq: 4 } });
    expect([taken.matchedCount, written.matchedCount]).toEqual([0, 0]);
  });

  test('error: an older lease than its own is refused, and a log with a gap is not gone on from', async () => {
    const { chainId, log } = await former(3);
    await expect(log.takeOver(chainId, 6)).rejects.toThrow(LeaseLost);
    const gap = await former(0);
    await gap.commits.updateOne({ _id: gap.chainId }, { $set: { entries: [] } });
    await expect(gap.log.takeOver(gap.chainId, 8)).rejects.toThrow('its former end was 3');
  });
});

test('behavior: a log without any end goes on behind its last entry', async () => {
  const { chainId, log, stored } = world();
  await log.append(chainId, await log.takeOver(chainId, 1), [logOf(1)]);
  await chainLogCollection(connection).deleteOne({ chain_id: chainId, seq: null } as never);
  await log.append(chainId, await log.takeOver(chainId, 2), [logOf(2)]);
  expect((await stored()).map(([seq]) => seq)).toEqual([1, 2]);
});

test('behavior: a recorded trace is stored once for each block of a write, and only pages carry it', async () => {
  const { chainId, log } = world();
  const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const head = await log.takeOver(chainId, 1);
  const drafts = [logOf(1), logOf(1, 'a', 1), logOf(2)];
  const { head: next, appended } = await log.append(chainId, head, drafts, trace);
  await log.append(chainId, next, [logOf(3)]);
  const traced = { ...logOf(1), chain_id: chainId, seq: 1, trace };
  expect(appended[0]).toEqual(traced);
  const stored = await chainLogCollection(connection)
    .find({ chain_id: chainId, seq: { $gte: 1 } })
    .sort({ seq: 1 })
    .toArray();
  const expected = [trace, undefined, trace, undefined];
  expect(stored.map((entry) => entry.trace)).toEqual(expected);
  expect((await log.page(chainId, 0, 10)).map((entry) => entry.trace)).toEqual(expected);
  // Another process reads it from the store.
  expect((await mongoChainLog(connection).page(chainId, 0, 1))[0]).toEqual(traced);
  const { trace: _, ...entry } = traced;
  expect((await log.livingOfChain(chainId, ['Something']))[0]).toEqual(entry);
  expect((await log.livingNamed(chainId, next, ['Something']))[0]).toEqual(entry);
});

test('behavior: a block names the trace of its reading where traces are recorded, the last one after a reorganisation', async () => {
  const { chainId, log } = world();
  const traceOf = (digit: string) => `00-${digit.repeat(32)}-${'b'.repeat(16)}-01`;
  const traceOfBlock = blockTraces(connection);
  const { head } = await log.append(chainId, await log.takeOver(chainId, 1), [logOf(1), logOf(2)], traceOf('1'));
  const back = await log.append(chainId, head, [rollbackDraft(1, null, block(2))]);
  await log.append(chainId, back.head, [logOf(1, 'b')], traceOf('2'));
  expect(await traceOfBlock(chainId, 2)).toBeUndefined();
  await testTraces();
  expect(await Promise.all([1, 2, 3].map((number) => traceOfBlock(chainId, number)))).toEqual([
    traceOf('2'),
    traceOf('1'),
    undefined,
  ]);
});
