import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runs, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EJSON } from 'bson';
import fc from 'fast-check';
import { type Collection, type IndexSpecification, MongoBulkWriteError, MongoClient, MongoServerError } from 'mongodb';
import { type DocumentStore, startDocumentStore } from '../src/index.ts';
import { requests, type Thing } from './requests.ts';

/** The embedded store and the server of TEST_MONGODB_URI get the same requests, and have to give the same answers. */

const dataDir = mkdtempSync(join(tmpdir(), 'castellan-differential-'));
let embedded: DocumentStore;
let server: TestStore;
let clients: [MongoClient, MongoClient];
let both: [Collection<Thing>, Collection<Thing>];

beforeAll(async () => {
  embedded = await startDocumentStore({ port: 0, dataDir });
  server = await startTestStore();
  clients = await Promise.all([MongoClient.connect(embedded.uri), MongoClient.connect(server.uri)]);
  const [ours, theirs] = clients.map((client) => client.db(server.database).collection<Thing>('things'));
  both = [ours as Collection<Thing>, theirs as Collection<Thing>];
});
afterAll(async () => {
  await Promise.all((clients ?? []).map((client) => client.close()));
  await embedded?.stop();
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const indexes: [IndexSpecification, object][] = [
  [
    { chain_id: 1, key: 1 },
    { unique: true, partialFilterExpression: { chain_id: { $gt: 0 } } },
  ],
  [{ n: 1 }, {}],
  [{ 'parts.seq': 1 }, { sparse: true }],
];

const emptied = async (things: Collection<Thing>): Promise<void> => {
  await things.deleteMany({});
  for (const [key, options] of indexes) await things.createIndex(key, options);
};

/** With the fields of documents by name: servers add new ones in different orders, on which no service relies. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, field]) => [name, inOrder(field)]),
  );
}

/** What a piece of work gives, as text: its value with all types, or the codes of its refusal. */
async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(inOrder(EJSON.serialize(await work, { relaxed: false })));
  } catch (error) {
    if (error instanceof MongoBulkWriteError) {
      const { writeErrors, insertedCount, matchedCount, modifiedCount, upsertedCount, deletedCount } = error;
      const errors = (Array.isArray(writeErrors) ? writeErrors : [writeErrors]).map(({ index, code }) => ({
        index,
        code,
      }));
      return JSON.stringify({ errors, insertedCount, matchedCount, modifiedCount, upsertedCount, deletedCount });
    }
    if (error instanceof MongoServerError) return `code ${error.code}`;
    throw error;
  }
}

const wholeOf = (things: Collection<Thing>): Promise<Thing[]> => things.find().sort({ _id: 1 }).toArray();

test('default: requests as the services send them, in any order, are answered alike', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async (list) => {
      await Promise.all(both.map(emptied));
      for (const { name, run } of list) {
        const [ours, theirs] = await Promise.all(both.map((things) => outcome(run(things))));
        expect(`${name}: ${ours}`).toBe(`${name}: ${theirs}`);
        const [left, right] = await Promise.all(both.map((things) => outcome(wholeOf(things))));
        expect(`after ${name}: ${left}`).toBe(`after ${name}: ${right}`);
      }
    }),
    runs(200),
  );
}, 600_000);

describe('refusals', () => {
  const cases: [string, (things: Collection<Thing>) => Promise<unknown>][] = [
    ['a duplicate _id', (things) => things.insertOne({ _id: 1 })],
    ['$inc of a text', (things) => things.updateOne({ _id: 1 }, { $inc: { key: 1 } } as never)],
    ['$push to a number', (things) => things.updateOne({ _id: 1 }, { $push: { n: 1 } } as never)],
    ['another _id', (things) => things.updateOne({ _id: 1 }, { $set: { _id: 2 } })],
    [
      'two operators on one field',
      (things) => things.updateOne({ _id: 1 }, { $set: { n: 1 }, $inc: { n: 1 } } as never),
    ],
    ['an unknown operator', (things) => things.findOne({ n: { $near2: 1 } } as never)],
    ['an unknown stage', (things) => things.aggregate([{ $nothing: 1 }]).toArray()],
    [
      '$expr in an upsert',
      (things) => things.updateOne({ _id: 9, $expr: { $eq: ['$n', 1] } }, { $set: { n: 1 } }, { upsert: true }),
    ],
    ['an unknown collection', (things) => things.db.collection('nowhere').indexes()],
    ['an index by another name', (things) => things.createIndex({ n: 1 }, { name: 'other' })],
    ['an index of the same name', (things) => things.createIndex({ at: 1 }, { name: 'n_1' })],
  ];
  test.each(cases)('error: %s', async (_name, work) => {
    await Promise.all(both.map(emptied));
    await Promise.all(both.map((things) => things.insertOne({ _id: 1, key: 'a', n: 1 })));
    const [ours, theirs] = await Promise.all(both.map((things) => outcome(work(things))));
    expect(ours).toMatch(/^code \d+$/);
    expect(ours).toBe(theirs);
  });
});

describe('transactions', () => {
  const inTransaction = async (
    which: 0 | 1,
    work: (things: Collection<Thing>) => Promise<unknown>,
  ): Promise<string> => {
    await emptied(both[which]);
    await both[which].insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]);
    const answer = await outcome(work(both[which]));
    return `${answer} ${await outcome(wholeOf(both[which]))}`;
  };
  const moves = (which: 0 | 1, fails: boolean) => async (things: Collection<Thing>) => {
    const session = clients[which].startSession();
    try {
      await session.withTransaction(async () => {
        await things.updateOne({ _id: 1 }, { $inc: { n: -1 } } as never, { session });
        await things.updateOne({ _id: 2 }, { $inc: { n: 1 } } as never, { session });
        await things.insertOne({ _id: 3, seen: await things.countDocuments({}, { session }) }, { session });
        if (fails) await things.insertOne({ _id: 3 }, { session });
      });
    } finally {
      await session.endSession();
    }
  };
  test.each([false, true])('behavior: several documents together or not at all (fails: %s)', async (fails) => {
    expect(await inTransaction(0, moves(0, fails))).toBe(await inTransaction(1, moves(1, fails)));
  });
});
