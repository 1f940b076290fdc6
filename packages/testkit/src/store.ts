import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDocumentStore } from '@castellan/embedded';

export type TestStore = {
  readonly uri: string;
  /** A database name nobody else uses. */
  readonly database: string;
  stop(): Promise<void>;
};

/** A document store for one test file: the server of `MONGODB_URI` when that is set, else the embedded one. */
export async function startTestStore(env: { MONGODB_URI?: string | undefined } = process.env): Promise<TestStore> {
  const database = `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  if (env.MONGODB_URI) return { uri: env.MONGODB_URI, database, stop: () => Promise.resolve() };
  const dataDir = mkdtempSync(join(tmpdir(), 'castellan-store-'));
  const store = await startDocumentStore({ host: '127.0.0.1', port: 0, dataDir });
  return {
    uri: store.uri,
    database,
    stop: async () => {
      await store.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
