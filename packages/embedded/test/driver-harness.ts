import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { type Collection, type Db, MongoClient, MongoServerError, type ObjectId } from 'mongodb';
import { type StoreUnderTest, storeUnderTest } from './store-under-test.ts';

/** A document of these tests: any field, and ids of several types. */
export type Doc = { _id?: number | string | ObjectId | number[]; [field: string]: unknown };

/** The driver against the store under test, with an empty database before each test. */
export type Harness = { store: StoreUnderTest; client: MongoClient; db: Db; coll: Collection<Doc> };

/** Registers the hooks of one test file. @param name - Part of the database's name. */
export function useDriver(name: string): Harness {
  const harness = {} as Harness;
  beforeAll(async () => {
    harness.store = await storeUnderTest();
    harness.client = await MongoClient.connect(harness.store.uri);
    harness.db = harness.client.db(`castellan_${name}_${process.pid}`);
    harness.coll = harness.db.collection<Doc>('things');
  });
  afterAll(async () => {
    await harness.db?.dropDatabase();
    await harness.client?.close();
    await harness.store?.stop();
  });
  beforeEach(() => harness.db.dropDatabase());
  return harness;
}

/** The error code a piece of work ends with. */
export const codeOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (error) {
    return error instanceof MongoServerError ? error.code : error;
  }
  return 'no error';
};

/** The ids a filter finds. */
export const idsIn = async (
  coll: Collection<Doc>,
  filter: Doc,
  sort: Record<string, 1 | -1> = {},
): Promise<unknown[]> =>
  (
    await coll
      .find(filter as never)
      .sort(sort)
      .toArray()
  ).map((doc) => doc._id);
