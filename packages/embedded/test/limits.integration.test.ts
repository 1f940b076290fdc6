import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Collection, type FindCursor, MongoClient, type WithId } from 'mongodb';
import { type DocumentStore, startDocumentStore } from '../src/index.ts';
import { codeOf } from './driver-harness.ts';

type Thing = { _id: number; n: number; text: string };

const DOCUMENT_BYTES = 10_000;
const dataDir = mkdtempSync(join(tmpdir(), 'castellan-limits-'));
let store: DocumentStore;
let client: MongoClient;
let things: Collection<Thing>;

beforeAll(async () => {
  store = await startDocumentStore({ port: 0, dataDir, maxResultBytes: 60_000_000 });
  client = await MongoClient.connect(store.uri);
  things = client.db('limits').collection('things');
});
afterAll(async () => {
  await client?.close();
  await store?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
beforeEach(() => client.db('limits').dropDatabase());

/** Documents whose `n` falls while `_id` rises. */
const fill = (count: number): Promise<unknown> =>
  things.insertMany(
    Array.from({ length: count }, (_, i) => ({ _id: i, n: (count - i) % 1000, text: 'x'.repeat(DOCUMENT_BYTES) })),
  );

test('error: all open cursors together have a limit, and what is read, closed or killed frees memory', async () => {
  await fill(2_000);
  const cursors: FindCursor<WithId<Thing>>[] = [];
  const open = async (): Promise<void> => {
    const cursor = things.find({}, { batchSize: 1 });
    cursors.push(cursor);
    await cursor.next();
  };
  await open();
  await open();
  expect(await codeOf(open())).toBe(146);
  await expect(open()).rejects.toThrow(/open cursors hold \d+ of the 60000000 bytes.*close them/);
  expect(await things.findOne({ _id: 3 })).toMatchObject({ n: 997 });

  await cursors[0]?.close();
  await open();
  expect(await codeOf(open())).toBe(146);
  expect(await cursors[1]?.toArray()).toHaveLength(1_999);
  await open();
  for (const cursor of cursors) await cursor.close();
});

test('error: one result larger than the limit is refused, sorted or not', async () => {
  await fill(6_100);
  expect(await codeOf(things.find().toArray())).toBe(146);
  expect(await codeOf(things.find().sort({ n: 1 }).limit(1).toArray())).toBe(146);
  expect(await things.countDocuments()).toBe(6_100);
});

test('behavior: a sort without an index lets other commands run between its parts and sees nothing of what they write', async () => {
  await fill(4_000);
  let sorted: Thing[] | undefined;
  const sorting = things
    .find({}, { projection: { text: 0 } })
    .sort({ n: 1, _id: -1 })
    .toArray()
    .then((docs) => {
      sorted = docs;
    });
  let others = 0;
  while (!sorted) {
    await things.insertOne({ _id: 10_000 + others, n: -1, text: '' });
    if (!sorted) others += 1;
  }
  await sorting;
  expect(others).toBeGreaterThan(5);
  const expected = Array.from({ length: 4_000 }, (_, i) => ({ _id: i, n: (4_000 - i) % 1000 }));
  const late = sorted.filter(({ n }) => n < 0).length;
  expect(late).toBeLessThan(others);
  expect(sorted.slice(late)).toEqual(expected.sort((left, right) => left.n - right.n || right._id - left._id));
});

test('error: a sort in parts keeps its time limit, and gives back what it held', async () => {
  await fill(4_000);
  for (let i = 0; i < 3; i += 1) {
    expect(await codeOf(things.find().sort({ n: 1 }).maxTimeMS(1).toArray())).toBe(50);
  }
  expect(await things.find().sort({ n: 1 }).limit(2).toArray()).toHaveLength(2);
});
