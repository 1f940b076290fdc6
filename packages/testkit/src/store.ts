import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDocumentStore } from '@castellan/embedded';
import { connectMongo, createRegistry } from '@castellan/service-kit';
import { dockerAsked } from './docker/asked.ts';
import { startMongoContainer } from './docker/servers.ts';
import { freePort } from './ports.ts';
import { storeDoor } from './store-door.ts';

type StoreEnvironment = {
  TEST_MONGODB_URI?: string | undefined;
  TESTCONTAINERS?: string | undefined;
  CASTELLAN_TEST_STORE_URI?: string | undefined;
};

/** A document store other test files may be using at the same time. */
export type TestStore = {
  readonly uri: string;
  /** A database name nobody else uses. A file that needs several names them with this one in front. */
  readonly database: string;
  /** Drops the databases whose names begin with `database`, and ends the store when no other file uses it. */
  stop(): Promise<void>;
};

/** A document store of one file's own, which it may end and start again. */
export type OwnStore = TestStore & {
  /** Cuts everyone off and keeps the data. */
  interrupt(): Promise<void>;
  /** Serves again, on the same port and data. */
  restart(): Promise<void>;
};

async function embeddedStore(): Promise<Omit<OwnStore, 'database'>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'castellan-store-'));
  const port = await freePort();
  // Scenes play on clocks of their own, often in the past: nothing of them may expire by the real one.
  const start = () => startDocumentStore({ host: '127.0.0.1', port, dataDir, ttlIntervalMs: 86_400_000 });
  let store: Awaited<ReturnType<typeof start>> | undefined = await start();
  const { uri } = store;
  const interrupt = async () => {
    await store?.stop();
    store = undefined;
  };
  return {
    uri,
    interrupt,
    restart: async () => {
      store ??= await start();
    },
    stop: async () => {
      await interrupt();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function mongoContainer(): Promise<Omit<OwnStore, 'database'>> {
  const { url, kill, restart, stop } = await startMongoContainer();
  return { uri: url, interrupt: kill, restart, stop };
}

const newDatabase = () => `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`;

const sharedStore = (uri: string): TestStore => {
  const database = newDatabase();
  return { uri, database, stop: () => dropDatabases(uri, database) };
};

/** The server of `TEST_MONGODB_URI`, which is not ours to end: this file reaches it by a way of its own, which is closed instead. */
async function givenStore(uri: string): Promise<OwnStore> {
  const { uri: through, interrupt, restart } = await storeDoor(uri);
  const database = newDatabase();
  return {
    uri: through,
    database,
    interrupt,
    restart,
    stop: async () => {
      await interrupt();
      await dropDatabases(uri, database);
    },
  };
}

/**
 * The document store of this test run: real MongoDB in a container with `TESTCONTAINERS=1`, else the server of `TEST_MONGODB_URI`
 * when that is set, else the embedded one. Outside of the integration project, where no run started one, it is the file's own.
 */
export async function startTestStore(env: StoreEnvironment = process.env): Promise<TestStore> {
  const uri = env.CASTELLAN_TEST_STORE_URI || (dockerAsked(env) ? undefined : env.TEST_MONGODB_URI);
  return uri ? sharedStore(uri) : startOwnStore(env);
}

/** A document store that only this file uses, or with `TEST_MONGODB_URI` a way of its own to that server. */
export async function startOwnStore(env: StoreEnvironment = process.env): Promise<OwnStore> {
  if (dockerAsked(env)) return { ...(await mongoContainer()), database: newDatabase() };
  if (env.TEST_MONGODB_URI) return givenStore(env.TEST_MONGODB_URI);
  return { ...(await embeddedStore()), database: newDatabase() };
}

async function dropDatabases(uri: string, prefix: string): Promise<void> {
  const connection = await connectMongo({ uri, database: prefix, registry: createRegistry('test') });
  const client = connection.getClient();
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  for (const { name } of databases) if (name.startsWith(prefix)) await client.db(name).dropDatabase();
  await connection.close();
}
