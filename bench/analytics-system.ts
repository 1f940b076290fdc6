import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Action, type InputOf, ListChains, ListLogEntries, type ResultOf } from '@castellan/contracts';
import { callAction, createBroker, createLogger, createRegistry, implement } from '@castellan/service-kit';
import { freePort, startTestNats, testIdentity, testKeysEnv } from '@castellan/testkit';
import type { SyntheticFeed } from './analytics-log.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const namespace = 'castellan';

/** A page stays below the bus's largest message, whatever was asked for. */
const PAGE = 400;

export type AnalyticsSystem = {
  call<A extends Action>(action: A, params: InputOf<A>, timeoutMs?: number): Promise<ResultOf<A>>;
  /** Ends early when the service does. */
  readonly ended: Promise<never>;
  /** Of the service. */
  pid(): number;
  /** Ends the service and starts it again; resolves when it is ready. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** Answers for the vaults service out of a synthetic log: all that analytics may know. */
const standIn = (feed: SyntheticFeed) => ({
  name: 'vaults',
  version: 1,
  actions: {
    events: implement(ListLogEntries, ({ after_seq, limit }) => ({
      entries: feed.page(after_seq, Math.min(limit, PAGE)),
      head_seq: feed.length,
      // Far beyond the feed: every block of it is complete.
      indexed_block: Number.MAX_SAFE_INTEGER,
      indexed_time: null,
    })),
    chains: implement(ListChains, () => ({
      chains: [
        {
          chain_id: 31_337,
          slug: 'devnet',
          name: 'Devnet',
          explorer_url: null,
          native_symbol: 'ETH',
          head_block: null,
          indexed_block: null,
          lag_seconds: 0,
          final_time: null,
        },
      ],
    })),
  },
});

export const run = (path: string, env: Record<string, string>): ChildProcess =>
  spawn(process.execPath, [join(root, path)], {
    // What the service finds wrong is part of the result.
    env: { ...process.env, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

export type Store = {
  uri: string /** Of its process, when that is ours. */;
  pid?: number | undefined;
  stop(): Promise<void>;
};

/** The server of MONGODB_URI, or the embedded store in a process of its own, as `npm start` runs it. */
export async function startStore(): Promise<Store> {
  const given = process.env.MONGODB_URI;
  if (given) return { uri: given, stop: () => Promise.resolve() };
  const folder = mkdtempSync(join(tmpdir(), 'castellan-bench-'));
  const port = await freePort();
  const child = run('packages/embedded/src/store-main.ts', { STORE_PORT: String(port), STORE_DATA_DIR: folder });
  return {
    uri: `mongodb://127.0.0.1:${port}`,
    pid: child.pid,
    stop: async () => {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The analytics service as it is deployed, with its own process, bus and store; the log it projects is `feed`. */
export async function startAnalytics(feed: SyntheticFeed, store: Store, database: string): Promise<AnalyticsSystem> {
  const nats = await startTestNats();
  const broker = createBroker({
    service: 'bench',
    nats: { url: nats.url, namespace },
    registry: createRegistry('bench'),
    log: createLogger({ service: 'bench', level: 'silent' }),
    identity: testIdentity(),
  });
  broker.createService(standIn(feed));
  await broker.start();
  const port = await freePort();
  const failed = Promise.withResolvers<never>();
  // A caller that waits for it gets the error; without a listener it must not end the bench by itself.
  failed.promise.catch(() => undefined);
  let stopping = false;
  const start = () => {
    const child = run('services/analytics/src/main.ts', {
      NATS_URL: nats.url,
      NAMESPACE: namespace,
      MONGODB_URI: store.uri,
      MONGODB_DATABASE: database,
      MONITORING_PORT: String(port),
      ...testKeysEnv('analytics'),
    });
    child.once('exit', (code) => {
      if (!stopping) failed.reject(new Error(`The analytics service ended with code ${code}.`));
    });
    return child;
  };
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  const ended = failed.promise;
  let service = start();
  await Promise.race([broker.waitForServices([{ name: 'analytics', version: 1 }], 60_000), ended]);
  return {
    pid: () => service.pid as number,
    restart: async () => {
      stopping = true;
      await end(service);
      stopping = false;
      service = start();
      await broker.waitForServices([{ name: 'analytics', version: 1 }], 60_000);
      await waitFor(isReady, ended);
    },
    call: (action, params, timeoutMs) =>
      callAction(broker, action, params, timeoutMs === undefined ? {} : { timeoutMs }),
    ended,
    stop: async () => {
      stopping = true;
      await end(service);
      await broker.stop();
      await nats.stop();
    },
  };
}

/** Waits until `done` says so, asking every 50 ms. */
export async function waitFor(done: () => Promise<boolean>, ended: Promise<never>): Promise<void> {
  while (!(await Promise.race([done(), ended]))) await sleep(50);
}
