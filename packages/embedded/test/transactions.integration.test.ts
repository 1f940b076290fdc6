import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type ClientSession, type Collection, Long, MongoClient, MongoServerError } from 'mongodb';
import mongoose, { Schema } from 'mongoose';
import { type DocumentStore, startDocumentStore } from '../src/index.ts';
import { codeOf } from './driver-harness.ts';

type Account = { _id: string; balance: number; tags?: string[] };

const LIFETIME_MS = 60_000;
const dataDir = mkdtempSync(join(tmpdir(), 'castellan-transactions-'));
let store: DocumentStore;
let client: MongoClient;
let accounts: Collection<Account>;
let aheadMs = 0;

const start = async (): Promise<void> => {
  store = await startDocumentStore({ port: 0, dataDir, clock: () => Date.now() + aheadMs });
  client = await MongoClient.connect(store.uri);
  accounts = client.db('bank').collection('accounts');
};
const end = async (): Promise<void> => {
  await client?.close();
  await store?.stop();
};

beforeAll(start);
afterAll(async () => {
  await end();
  rmSync(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  await client.db('bank').dropDatabase();
  await accounts.createIndex({ balance: 1 });
  await accounts.insertMany([
    { _id: 'a', balance: 10 },
    { _id: 'b', balance: 0 },
  ]);
});

const balances = async (session?: ClientSession): Promise<Record<string, number>> => {
  const all = await accounts.find({}, session && { session }).toArray();
  return Object.fromEntries(all.map(({ _id, balance }) => [_id, balance]));
};

/** Runs work in an open transaction, which is aborted at the end when it is still open. */
const inTransaction = async (work: (session: ClientSession) => Promise<void>): Promise<void> => {
  const session = client.startSession();
  session.startTransaction();
  try {
    await work(session);
  } finally {
    await session.endSession();
  }
};

const add = (id: string, by: number, session?: ClientSession): Promise<unknown> =>
  accounts.updateOne({ _id: id }, { $inc: { balance: by } }, session && { session });

const refusal = async (work: Promise<unknown>): Promise<MongoServerError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof MongoServerError)) throw new Error(`refused by the server was expected, got ${String(error)}`);
  return error;
};

describe('all or nothing', () => {
  test('default: several documents change together, and nobody sees one without the other', async () => {
    await inTransaction(async (session) => {
      await add('a', -4, session);
      await add('b', 4, session);
      await client.db('bank').collection('journal').insertOne({ moved: 4 }, { session });
      expect(await balances()).toEqual({ a: 10, b: 0 });
      expect(await balances(session)).toEqual({ a: 6, b: 4 });
      await session.commitTransaction();
    });
    expect(await balances()).toEqual({ a: 6, b: 4 });
    expect(await client.db('bank').collection('journal').countDocuments()).toBe(1);
  });

  test('behavior: an aborted transaction leaves nothing, indexes and new collections included', async () => {
    await inTransaction(async (session) => {
      await accounts.insertOne({ _id: 'c', balance: 99, tags: ['x', 'y'] }, { session });
      await accounts.deleteOne({ _id: 'a' }, { session });
      await client.db('bank').collection('other').insertOne({}, { session });
      expect(await accounts.find({ balance: 99 }, { session }).toArray()).toHaveLength(1);
      await session.abortTransaction();
    });
    expect(await balances()).toEqual({ a: 10, b: 0 });
    expect(await accounts.find({ balance: { $gt: 10 } }).toArray()).toEqual([]);
    expect((await client.db('bank').listCollections().toArray()).map(({ name }) => name)).toEqual(['accounts']);
  });

  test('behavior: a row added, changed, taken away and added again within one transaction is there once', async () => {
    await accounts.createIndex({ tags: 1 });
    await inTransaction(async (session) => {
      await accounts.insertOne({ _id: 'c', balance: 1 }, { session });
      await add('c', 1, session);
      await accounts.deleteOne({ _id: 'c' }, { session });
      await accounts.insertOne({ _id: 'c', balance: 5, tags: ['x', 'y'] }, { session });
      // Rows of others take the same numbers meanwhile.
      await accounts.insertMany([
        { _id: 'd', balance: 7 },
        { _id: 'e', balance: 8 },
      ]);
      await add('c', 1, session);
      await session.commitTransaction();
    });
    expect(await balances()).toEqual({ a: 10, b: 0, c: 6, d: 7, e: 8 });
    await end();
    await start();
    expect(await accounts.find({ tags: { $in: ['x', 'y'] } }).toArray()).toHaveLength(1);
    expect(await accounts.find().sort({ balance: 1 }).hint({ balance: 1 }).toArray()).toHaveLength(5);
  });

  test('behavior: unique values may change places', async () => {
    await accounts.dropIndexes();
    await accounts.createIndex({ balance: 1 }, { unique: true });
    await inTransaction(async (session) => {
      await accounts.updateOne({ _id: 'a' }, { $set: { balance: -1 } }, { session });
      await accounts.updateOne({ _id: 'b' }, { $set: { balance: 10 } }, { session });
      await accounts.updateOne({ _id: 'a' }, { $set: { balance: 0 } }, { session });
      await session.commitTransaction();
    });
    expect(await balances()).toEqual({ a: 0, b: 10 });
  });

  test('error: a statement that fails aborts the whole transaction', async () => {
    await inTransaction(async (session) => {
      await add('a', 1, session);
      expect(await codeOf(accounts.insertOne({ _id: 'b', balance: 1 }, { session }))).toBe(11000);
      const after = await refusal(balances(session));
      expect([after.code, after.hasErrorLabel('TransientTransactionError')]).toEqual([251, true]);
    });
    expect(await balances()).toEqual({ a: 10, b: 0 });
  });
});

describe('one moment', () => {
  test('default: what others write since the beginning is not seen, by scan, index, count or aggregation', async () => {
    await inTransaction(async (session) => {
      expect(await balances(session)).toEqual({ a: 10, b: 0 });
      await accounts.deleteOne({ _id: 'a' });
      await add('b', 500);
      await accounts.insertOne({ _id: 'c', balance: 7 });
      expect(await balances(session)).toEqual({ a: 10, b: 0 });
      expect(await accounts.find({ balance: { $gte: 7 } }, { session }).toArray()).toEqual([{ _id: 'a', balance: 10 }]);
      expect(await accounts.countDocuments({}, { session })).toBe(2);
      const sum = [{ $group: { _id: null, sum: { $sum: '$balance' } } }];
      expect(await accounts.aggregate(sum, { session }).toArray()).toEqual([{ _id: null, sum: 10 }]);
      await session.commitTransaction();
    });
    expect(await balances()).toEqual({ b: 500, c: 7 });
  });

  test('behavior: a cursor of a transaction ends with it', async () => {
    await inTransaction(async (session) => {
      const cursor = accounts.find({}, { session, batchSize: 1 });
      expect(await cursor.next()).toMatchObject({ _id: 'a' });
      await session.abortTransaction();
      await expect(cursor.next()).rejects.toThrow();
    });
    const { metrics } = await client.db('admin').command({ serverStatus: 1 });
    expect(metrics.cursor.open.total).toBe(0);
  });
});

describe('conflicts', () => {
  test('error: two transactions that change one document: the second is refused and may be tried again', async () => {
    await inTransaction(async (first) => {
      await add('a', 1, first);
      await inTransaction(async (second) => {
        const { code, errorLabels } = await refusal(add('a', 2, second));
        expect([code, errorLabels]).toEqual([112, ['TransientTransactionError']]);
      });
      await first.commitTransaction();
    });
    expect(await balances()).toMatchObject({ a: 11 });
  });

  test('error: a document that was changed since the beginning cannot be changed, at once or at the commit', async () => {
    await inTransaction(async (session) => {
      await balances(session);
      await add('a', 1);
      expect((await refusal(add('a', 2, session))).code).toBe(112);
    });
    await inTransaction(async (session) => {
      await add('a', 2, session);
      await add('a', 1);
      expect((await refusal(session.commitTransaction())).code).toBe(112);
    });
    expect(await balances()).toMatchObject({ a: 12 });
  });

  test('error: a unique value that another write has taken is a conflict', async () => {
    await inTransaction(async (session) => {
      await accounts.insertOne({ _id: 'c', balance: 1 }, { session });
      await accounts.insertOne({ _id: 'c', balance: 2 });
      expect((await refusal(session.commitTransaction())).code).toBe(112);
    });
    expect(await balances()).toMatchObject({ c: 2 });
  });

  test('behavior: withTransaction tries again until every change has counted', async () => {
    const transfer = async (): Promise<void> => {
      const session = client.startSession();
      await session.withTransaction(async () => {
        const a = await accounts.findOne({ _id: 'a' }, { session });
        await accounts.updateOne({ _id: 'a' }, { $set: { balance: (a?.balance ?? 0) - 1 } }, { session });
        await add('b', 1, session);
      });
      await session.endSession();
    };
    await Promise.all(Array.from({ length: 6 }, transfer));
    expect(await balances()).toEqual({ a: 4, b: 6 });
  });

  test('error: an index that is made meanwhile ends the transaction', async () => {
    await inTransaction(async (session) => {
      await add('a', 1, session);
      await accounts.createIndex({ tags: 1 });
      const { code, errorLabels } = await refusal(session.commitTransaction());
      expect([code, errorLabels]).toEqual([246, expect.arrayContaining(['TransientTransactionError'])]);
    });
    expect(await balances()).toEqual({ a: 10, b: 0 });
  });
});

describe('how it ends', () => {
  test('behavior: a commit that is repeated is answered, and commits nothing twice', async () => {
    await inTransaction(async (session) => {
      await add('a', 1, session);
      await session.commitTransaction();
      await session.commitTransaction();
    });
    expect(await balances()).toMatchObject({ a: 11 });
  });

  test('error: a transaction that is open for too long is aborted and holds up nobody', async () => {
    await inTransaction(async (session) => {
      await add('a', 1, session);
      aheadMs += LIFETIME_MS + 1_000;
      await inTransaction(async (next) => {
        await add('a', 2, next);
        await next.commitTransaction();
      });
      expect((await refusal(session.commitTransaction())).code).toBe(251);
    });
    expect(await balances()).toMatchObject({ a: 12 });
  });

  test('behavior: the transaction of a client that is gone holds up nobody', async () => {
    const other = await MongoClient.connect(store.uri);
    const session = other.startSession();
    session.startTransaction();
    await other
      .db('bank')
      .collection<Account>('accounts')
      .updateOne({ _id: 'a' }, { $set: { balance: 0 } }, { session });
    await other.close(true);
    const mine = client.startSession();
    await mine.withTransaction(() => add('a', 1, mine));
    await mine.endSession();
    expect(await balances()).toMatchObject({ a: 11 });
  });

  test('behavior: what was committed with w: majority is there after the store ends and starts', async () => {
    const session = client.startSession();
    await session.withTransaction(() => add('a', 1, session), { writeConcern: { w: 'majority' } });
    await session.endSession();
    await end();
    await start();
    expect(await balances()).toMatchObject({ a: 11 });
  });

  test('error: commands that fit no transaction, numbers that are old and retryable writes are refused', async () => {
    await inTransaction(async (session) => {
      expect((await refusal(client.db('bank').command({ count: 'accounts' }, { session }))).code).toBe(263);
    });
    // Numbers of its own choice belong to sessions that no other test is handed.
    const other = await MongoClient.connect(store.uri);
    const session = other.startSession();
    const find = (fields: object) =>
      other.db('bank').command({ find: 'accounts', autocommit: false, ...fields } as never, { session });
    await find({ txnNumber: Long.fromNumber(2), startTransaction: true });
    expect((await refusal(find({ txnNumber: Long.fromNumber(1), startTransaction: true }))).code).toBe(225);
    expect((await refusal(find({ txnNumber: Long.fromNumber(3) }))).code).toBe(251);
    expect(await codeOf(other.db('bank').command({ find: 'accounts', txnNumber: Long.fromNumber(1) }))).toBe(20);
    await other.close();
  });
});

test('behavior: mongoose runs a transaction over two models', async () => {
  const connection = await mongoose.createConnection(store.uri, { dbName: 'bank' }).asPromise();
  const Entry = connection.model('Entry', new Schema({ amount: Number }));
  const Total = connection.model('Total', new Schema({ _id: String, amount: Number }));
  const book = (amount: number, fails: boolean) =>
    connection.transaction(async (session) => {
      await new Entry({ amount }).save({ session });
      await Total.updateOne({ _id: 'all' }, { $inc: { amount } }, { session, upsert: true });
      if (fails) throw new Error('changed its mind');
    });
  await book(3, false);
  await expect(book(4, true)).rejects.toThrow('changed its mind');
  expect([await Entry.countDocuments(), (await Total.findById('all'))?.amount]).toEqual([1, 3]);
  await connection.close();
});
