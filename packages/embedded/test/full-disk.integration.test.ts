import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { type Collection, MongoClient } from 'mongodb';
import { Storage } from '../src/engine/storage.ts';
import { type DocumentStore, startDocumentStore } from '../src/index.ts';
import { codeOf } from './driver-harness.ts';

type Thing = { _id: number; n: number; at?: Date };

const dataDir = mkdtempSync(join(tmpdir(), 'castellan-full-'));
const reserve = join(dataDir, 'store.reserve');
let store: DocumentStore;
let client: MongoClient;
let things: Collection<Thing>;

beforeAll(async () => {
  store = await startDocumentStore({ port: 0, dataDir });
  client = await MongoClient.connect(store.uri);
  things = client.db('full').collection('things');
});
afterAll(async () => {
  await client?.close();
  await store?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  await client.db('full').dropDatabase();
  await things.createIndex({ n: 1 });
  await things.insertMany(Array.from({ length: 100 }, (_, i) => ({ _id: i, n: i })));
  fillDisk();
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** SQLite's answer to every write until the reserve, which must be there, has given up its space. */
function fillDisk(): void {
  const reserved = existsSync(reserve);
  const write = Storage.prototype.write;
  jest.spyOn(Storage.prototype, 'write').mockImplementation(function (this: Storage, sql, ...values) {
    if (!reserved || existsSync(reserve)) throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
    return write.call(this, sql, ...values);
  });
}

test('behavior: a full disk refuses inserts and accepts deletes', async () => {
  expect(await codeOf(things.insertOne({ _id: 1000, n: 1 }))).toBe(1);
  expect(await codeOf(things.updateOne({ _id: 1 }, { $set: { n: 7 } }))).toBe(1);
  expect(await things.deleteMany({ n: { $lt: 40 } })).toMatchObject({ deletedCount: 40 });
  expect(await things.findOneAndDelete({ _id: 40 })).toMatchObject({ n: 40 });
  expect(await codeOf(things.findOneAndUpdate({ _id: 50 }, { $set: { n: 7 } }))).toBe(1);
  expect(existsSync(reserve)).toBe(true);
  expect(await things.countDocuments()).toBe(59);
  expect(await things.find({ n: { $gte: 0 } }).toArray()).toHaveLength(59);
});

test('behavior: several deletes at once on a full disk each count once', async () => {
  const deleted = await Promise.all(Array.from({ length: 8 }, (_, i) => things.deleteOne({ _id: i })));
  expect(deleted.map(({ deletedCount }) => deletedCount)).toEqual(Array(8).fill(1));
  expect(await things.countDocuments()).toBe(92);
});

test('behavior: collections and indexes can be dropped on a full disk', async () => {
  await things.dropIndex('n_1');
  await things.drop();
  expect(await things.countDocuments()).toBe(0);
});
