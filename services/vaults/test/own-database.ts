import { connectMongo, createRegistry } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Connection } from 'mongoose';

/** A store for the tests of a file, and for each test a database of its own. @returns the connection of the running test. */
export function ownDatabase(): () => Connection {
  let store: TestStore;
  let connection: Connection;
  let databases = 0;
  beforeAll(async () => {
    store = await startTestStore();
  });
  afterAll(() => store.stop());
  beforeEach(async () => {
    databases += 1;
    const database = `${store.database}_${databases}`;
    connection = await connectMongo({ uri: store.uri, database, registry: createRegistry('test') });
  });
  afterEach(() => connection.close());
  return () => connection;
}
