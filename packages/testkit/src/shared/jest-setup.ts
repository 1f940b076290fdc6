import { join } from 'node:path';
import { dockerAsked } from '../docker/asked.ts';
import requireDocker from '../docker/jest-setup.ts';
import { startMongoContainer } from '../docker/servers.ts';
import { startNatsServer } from '../nats.ts';
import { startStoreProcess } from './store-process.ts';

/**
 * jest's `globalSetup` of the integration project: one bus and one document store for the whole run. Test files reach them with
 * `startTestNats` and `startTestStore`, each in a namespace and a database of its own.
 */
export default async function startSharedServers(): Promise<void> {
  if (dockerAsked()) await requireDocker();
  if (process.env.TESTCONTAINERS_SKIP === '1') return;
  // Children of tests start in half the time: their modules are stripped of types and compiled once.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../../../node_modules/.cache/castellan/compiled');
  const stops: (() => Promise<void>)[] = [];
  Object.assign(globalThis, { castellanTestServers: stops });
  const nats = await startNatsServer();
  stops.push(nats.stop);
  process.env.CASTELLAN_TEST_NATS_URL = nats.url;
  if (!dockerAsked() && process.env.TEST_MONGODB_URI) return;
  const store = dockerAsked() ? await startMongoContainer() : await startStoreProcess();
  stops.push(store.stop);
  process.env.CASTELLAN_TEST_STORE_URI = store.url;
}
