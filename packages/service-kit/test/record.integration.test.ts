import { randomUUID } from 'node:crypto';
import { durableEvent, stream } from '@castellan/contracts';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import { connectMongo, createRegistry, pendingEvent, recorder } from '../src/index.ts';
import { requireTransactions } from '../src/transaction.ts';

type Counter = { _id: string; n: number };
type Stored = { _id: string; event: string; data: { n: number }; order: number };

const Things = stream('THINGS', 'things', { maxAgeSeconds: 3600, diskPercent: 10 });
const ThingHappened = durableEvent(Things, 'thing_happened', z.object({ n: z.int() }));
const happened = (n: number, msgId = `n${n}`) => pendingEvent(ThingHappened, { n }, { msgId });

let store: TestStore;
let connection: Connection;

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store.stop());
beforeEach(async () => {
  const database = `${store.database}_${randomUUID().slice(0, 8)}`;
  connection = await connectMongo({ uri: store.uri, database, registry: createRegistry('test') });
  await connection.createCollection('counters');
});
afterEach(() => connection.close());

const counters = () => connection.collection<Counter>('counters');
const pending = () => connection.collection<Stored>('outbox').find().sort({ order: 1 }).toArray();

test('default: a document and its events are stored together, in their order', async () => {
  let stored = 0;
  const recordWith = recorder(connection, () => {
    stored += 1;
  });
  const result = await recordWith([happened(1), happened(2)], async (session) => {
    await counters().insertOne({ _id: 'a', n: 2 }, { session });
    return 'written';
  });
  expect([result, stored]).toEqual(['written', 1]);
  expect(await counters().findOne({ _id: 'a' })).toEqual({ _id: 'a', n: 2 });
  expect((await pending()).map(({ _id, event, data }) => [_id, event, data])).toEqual([
    ['n1', 'thing_happened', { n: 1 }],
    ['n2', 'thing_happened', { n: 2 }],
  ]);
});

test('behavior: work that fails, or a process that ends before the commit, leaves neither', async () => {
  const work = recorder(connection)([happened(1)], async (session) => {
    await counters().insertOne({ _id: 'a', n: 1 }, { session });
    throw new Error('killed');
  });
  await expect(work).rejects.toThrow('killed');
  expect([await counters().countDocuments(), (await pending()).length]).toEqual([0, 0]);
});

test('behavior: a change that found nothing to change has no events', async () => {
  let stored = 0;
  const result = await recorder(connection, () => {
    stored += 1;
  })([happened(1)], (session) =>
    counters().findOneAndUpdate({ _id: 'missing' }, { $inc: { n: 1 } }, { session, returnDocument: 'after' }),
  );
  expect([result, stored, await pending()]).toEqual([null, 0, []]);
});

test('behavior: events may follow from what was written', async () => {
  await counters().insertOne({ _id: 'a', n: 6 });
  await recorder(connection)<Counter | null>(
    ({ n }) => [happened(n)],
    (session) => counters().findOneAndUpdate({ _id: 'a' }, { $inc: { n: 1 } }, { session, returnDocument: 'after' }),
  );
  expect((await pending()).map(({ data }) => data.n)).toEqual([7]);
});

test('behavior: eight writers of one document: no change is lost, and events have the order of the changes', async () => {
  await counters().insertOne({ _id: 'a', n: 0 });
  const recordWith = recorder(connection);
  const add = () =>
    recordWith<Counter | null>(
      ({ n }) => [happened(n)],
      (session) => counters().findOneAndUpdate({ _id: 'a' }, { $inc: { n: 1 } }, { session, returnDocument: 'after' }),
    );
  await Promise.all(Array.from({ length: 8 }, add));
  const expected = Array.from({ length: 8 }, (_, index) => index + 1);
  expect((await pending()).map(({ data }) => data.n)).toEqual(expected);
});

test('behavior: an event that is pending already is not stored again, and the document is written', async () => {
  const recordWith = recorder(connection);
  const write = (id: string) =>
    recordWith([happened(1, 'same')], async (session) => {
      await counters().insertOne({ _id: id, n: 1 }, { session });
      return true;
    });
  await write('a');
  await write('b');
  expect([await counters().countDocuments(), (await pending()).length]).toEqual([2, 1]);
});

test('error: an event against its schema is refused before anything is written', async () => {
  let isWritten = false;
  const work = recorder(connection)([happened(1.5)], async () => {
    isWritten = true;
  });
  await expect(work).rejects.toThrow();
  expect([isWritten, await pending()]).toEqual([false, []]);
});

test('error: a store without transactions is named, with the remedy', async () => {
  await requireTransactions(connection);
  const refusal = Object.assign(new Error('Transaction numbers are only allowed on a replica set member or mongos'), {
    code: 20,
  });
  const standalone = {
    startSession: () => connection.startSession(),
    collection: () => ({ findOne: () => Promise.reject(refusal) }),
  } as unknown as Connection;
  await expect(requireTransactions(standalone)).rejects.toThrow('Run MongoDB as a replica set');
});
