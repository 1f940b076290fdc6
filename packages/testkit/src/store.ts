import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDocumentStore } from '@castellan/embedded';
import { dockerAsked } from './docker/asked.ts';
import { startMongoContainer } from './docker/servers.ts';
import { freePort } from './ports.ts';

export type TestStore = {
  readonly uri: string;
  /** A database name nobody else uses. */
  readonly database: string;
  /** Cuts everyone off and keeps the data. @throws Error for the server of `MONGODB_URI`, which is not ours to end. */
  interrupt(): Promise<void>;
  /** Serves again, on the same port and data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

async function embeddedStore(): Promise<Omit<TestStore, 'database'>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'castellan-store-'));
  const port = await freePort();
  const start = () => startDocumentStore({ host: '127.0.0.1', port, dataDir });
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

const notOurs = () =>
  Promise.reject(new Error('The server of MONGODB_URI is not ours to end. Unset it for this test.'));

async function mongoContainer(): Promise<Omit<TestStore, 'database'>> {
  const { url, kill, restart, stop } = await startMongoContainer();
  return { uri: url, interrupt: kill, restart, stop };
}

/**
 * A document store for one test file: real MongoDB in a container with `TESTCONTAINERS=1`, else the server of `MONGODB_URI` when
 * that is set, else the embedded one.
 */
export async function startTestStore(
  env: { MONGODB_URI?: string | undefined; TESTCONTAINERS?: string | undefined } = process.env,
): Promise<TestStore> {
  const database = `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  if (dockerAsked(env)) return { ...(await mongoContainer()), database };
  if (env.MONGODB_URI)
    return { uri: env.MONGODB_URI, database, interrupt: notOurs, restart: notOurs, stop: () => Promise.resolve() };
  return { ...(await embeddedStore()), database };
}
