import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dockerAsked, startTestStore } from '@castellan/testkit';
import { startDocumentStore } from '../src/index.ts';

/** The database the driver tests run against: a real one with `TESTCONTAINERS=1` or `TEST_MONGODB_URI`, else a fresh embedded store. */
export type StoreUnderTest = {
  uri: string;
  embedded: boolean;
  expire(): number;
  advance(ms: number): void;
  stop(): Promise<void>;
};

export async function storeUnderTest(): Promise<StoreUnderTest> {
  if (dockerAsked() || process.env.TEST_MONGODB_URI) {
    const { uri, stop } = await startTestStore();
    process.stdout.write(
      `store tests run against ${uri.replace(/^.*@|^mongodb:\/\//, '').replace(/[/?].*$/, '')}; embedded-only expectations are left out\n`,
    );
    return { uri, embedded: false, expire: () => 0, advance: () => undefined, stop };
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'castellan-store-'));
  let ahead = 0;
  // What has expired is swept by `expire`, which counts it, and not by a timer before.
  const own = { port: 0, dataDir, ttlIntervalMs: 86_400_000 };
  const store = await startDocumentStore({ ...own, clock: () => Date.now() + ahead });
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
