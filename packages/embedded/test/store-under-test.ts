import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDocumentStore } from '../src/index.ts';

/** The database the driver tests run against: `MONGODB_URI` when it is set, else a fresh embedded store. */
export type StoreUnderTest = {
  uri: string;
  embedded: boolean;
  expire(): number;
  advance(ms: number): void;
  stop(): Promise<void>;
};

export async function storeUnderTest(): Promise<StoreUnderTest> {
  const given = process.env.MONGODB_URI;
  if (given) {
    process.stdout.write(`store tests run against ${new URL(given).host}; embedded-only expectations are left out\n`);
    return { uri: given, embedded: false, expire: () => 0, advance: () => undefined, stop: async () => undefined };
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'castellan-store-'));
  let ahead = 0;
  const store = await startDocumentStore({ port: 0, dataDir, clock: () => Date.now() + ahead });
  return {
    uri: store.uri,
    embedded: true,
    expire: store.expire,
    advance: (ms) => {
      ahead += ms;
    },
    stop: async () => {
      await store.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
