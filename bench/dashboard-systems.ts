import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort, startOwnNats, testKeysEnv, until } from '@castellan/testkit';
import { issuer, publicJwk } from '../services/gateway/test/harness.ts';
import { end, run, startStore } from './analytics-system.ts';
import type { Pace } from './dashboard-views.ts';

export type SystemName = 'castellan' | 'moleculer-web' | 'nestjs';

/** A gateway, a process with the services behind it, and a bus that only these two use. */
export type DashboardSystem = {
  readonly name: SystemName;
  readonly baseUrl: string;
  readonly natsUrl: string;
  /** Of all processes between a person and the answer. */
  readonly pids: { readonly gateway: number; readonly services: number; readonly bus: number };
  setPace(pace: Pace): void;
  stop(): Promise<void>;
};

const parentOf = (pid: string): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.includes('(nats-server)') ? Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) : 0;
  } catch {
    return 0; // It ended meanwhile.
  }
};

/** The bus servers that this process has started. */
const ownBuses = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === process.pid)
    .map(Number);

async function startBus() {
  const before = new Set(ownBuses());
  const nats = await startOwnNats();
  const pid = ownBuses().find((each) => !before.has(each));
  if (pid === undefined) throw new Error('The process of the bus was not found.');
  return { ...nats, pid };
}

/** Starts a part of a system and waits until it says that it is ready. */
async function startPart(file: string, part: string, env: Record<string, string>): Promise<ChildProcess> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [part], { env: { ...process.env, ...env } });
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`${file} ${part} ended with code ${code}.`)));
  });
  return child;
}

const isReady = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

async function startBaseline(name: SystemName, file: string): Promise<DashboardSystem> {
  const bus = await startBus();
  const port = await freePort();
  const env = {
    BENCH_NATS_URL: bus.url,
    BENCH_JWK: JSON.stringify(publicJwk),
    BENCH_ISSUER: issuer,
    BENCH_PORT: String(port),
  };
  const services = await startPart(file, 'service', env);
  const gateway = await startPart(file, 'gateway', env);
  return {
    name,
    baseUrl: `http://127.0.0.1:${port}`,
    natsUrl: bus.url,
    pids: { gateway: Number(gateway.pid), services: Number(services.pid), bus: bus.pid },
    setPace: (pace) => void services.send(pace),
    stop: async () => {
      await Promise.all([end(gateway), end(services)]);
      await bus.stop();
    },
  };
}

/** The gateway as it is deployed, which nothing limits; the services behind it answer from memory. */
async function startCastellan(): Promise<DashboardSystem> {
  const [bus, store, port, monitoring] = await Promise.all([startBus(), startStore(), freePort(), freePort()]);
  const services = await startPart('dashboard-castellan.ts', 'service', {
    BENCH_NATS_URL: bus.url,
    BENCH_JWK: JSON.stringify(publicJwk),
  });
  const gateway = run('services/gateway/src/main.ts', {
    NATS_URL: bus.url,
    MONGODB_URI: store.uri,
    MONGODB_DATABASE: `castellan_bench_${process.pid}`,
    PUBLIC_URL: issuer,
    HTTP_PORT: String(port),
    MONITORING_PORT: String(monitoring),
    // All people come from one address here.
    RATE_API_PER_SECOND: '1000000',
    RATE_API_BURST: '1000000',
    ...testKeysEnv('gateway'),
  });
  await until('the gateway is ready', () => isReady(`http://127.0.0.1:${monitoring}/readyz`), 120_000);
  return {
    name: 'castellan',
    baseUrl: `http://127.0.0.1:${port}`,
    natsUrl: bus.url,
    pids: { gateway: Number(gateway.pid), services: Number(services.pid), bus: bus.pid },
    setPace: (pace) => void services.send(pace),
    stop: async () => {
      await Promise.all([end(gateway), end(services)]);
      await store.stop();
      await bus.stop();
    },
  };
}

const starts: Readonly<Record<SystemName, () => Promise<DashboardSystem>>> = {
  castellan: startCastellan,
  'moleculer-web': () => startBaseline('moleculer-web', 'dashboard-moleculer.ts'),
  nestjs: () => startBaseline('nestjs', 'dashboard-nest.ts'),
};

/** One after the other, so that no process is taken for that of another system. */
export async function startSystems(names: readonly string[]): Promise<DashboardSystem[]> {
  const systems: DashboardSystem[] = [];
  try {
    for (const name of names) systems.push(await starts[name as SystemName]());
  } catch (error) {
    await Promise.all(systems.map((system) => system.stop()));
    throw error;
  }
  return systems;
}
