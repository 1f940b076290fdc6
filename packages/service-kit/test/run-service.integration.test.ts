import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  freePort,
  type OwnNats,
  startOwnNats,
  startTestStore,
  type TestStore,
  testIdentity,
  testKeysEnv,
  until,
} from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { callAction, createBroker, createLogger, createRegistry, inSpan, startTracing } from '../src/index.ts';
import { Work } from './fixtures/service.ts';

type Line = Record<string, unknown>;
type Process = { child: ChildProcess; lines: Line[]; errors: string; port: number; exit: Promise<number | null> };

const fixture = fileURLToPath(new URL('./fixtures/service.ts', import.meta.url));
let nats: OwnNats;
let store: TestStore;
let process_: Process;
let run = 0;

beforeAll(async () => {
  [nats, store] = await Promise.all([startOwnNats(), startTestStore()]);
  await startTracing({ service: 'test' });
});
afterEach(() => void process_.child.kill('SIGKILL'));
afterAll(async () => {
  await Promise.all([nats.stop(), store.stop()]);
});

/** Starts the fixture in a namespace of its own. */
async function start(env: Record<string, string> = {}): Promise<Process> {
  run += 1;
  const port = Number(env.MONITORING_PORT ?? (await freePort()));
  const child = spawn(process.execPath, [fixture], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NATS_URL: nats.url,
      NATS_NAMESPACE: `run${run}`,
      MONGODB_URI: store.uri,
      MONGODB_DATABASE: `kit_run${run}`,
      MONITORING_PORT: String(port),
      ...testKeysEnv('vaults'),
      FIXTURE_KEY: 'a-long-enough-key',
      SHUTDOWN_GRACE_SECONDS: '20',
      ...env,
    },
    stdio: 'pipe',
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  process_ = { child, lines: [], errors: '', port, exit };
  const { lines } = process_;
  if (child.stdout) createInterface({ input: child.stdout }).on('line', (text) => lines.push(JSON.parse(text) as Line));
  child.stderr?.on('data', (chunk: Buffer) => {
    process_.errors += chunk.toString();
  });
  return process_;
}

const statusOf = (port: number, path = 'readyz', init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}/${path}`, init).then(
    ({ status }) => status,
    () => 0,
  );
const ready = ({ port }: Process) => until('readiness', async () => (await statusOf(port)) === 200);

async function client() {
  const broker = createBroker({
    service: 'client',
    nats: { url: nats.url, namespace: `run${run}` },
    registry: createRegistry('client'),
    log: createLogger({ service: 'client', level: 'silent' }),
    identity: testIdentity(),
    requestTimeoutMs: 60_000,
  });
  await broker.start();
  await broker.waitForServices({ name: 'fixture', version: 1 });
  return broker;
}

test('behavior: SIGTERM ends calls and handlers in progress, publishes what waits, and flushes spans', async () => {
  const it = await start();
  await ready(it);
  const broker = await client();
  const call = inSpan('request', {}, async (span) => {
    const { trace_id } = await callAction(broker, Work, { n: 9 });
    return { trace_id, own: span.spanContext().traceId };
  });
  await until('the handler', () => it.lines.some(({ handling }) => handling === 9));
  it.child.kill('SIGTERM');
  await until('not ready', async () => (await statusOf(it.port)) === 503);
  it.child.stdin?.write('go on\n');
  const { trace_id, own } = await call;
  expect(await it.exit).toBe(0);
  // One trace: the call over the bus, its action, the event it published, and the handling of that.
  expect(trace_id).toBe(own);
  const spans = it.lines.filter(({ span }) => span);
  for (const name of ['action v1.fixture.work', 'publish thing_happened', 'process thing_happened'])
    expect(spans).toContainEqual({ span: name, trace: own });
  expect(it.lines).toContainEqual({ handled: 9, trace: own });
  expect(it.lines).toContainEqual({ spans: 'flushed' });
  await broker.stop();
});

test('behavior: not ready any more, it goes on answering until every proxy has seen it', async () => {
  const it = await start({ SHUTDOWN_WAIT_SECONDS: '3' });
  await ready(it);
  it.child.stdin?.write('go on\n');
  const broker = await client();
  const asked = performance.now();
  it.child.kill('SIGTERM');
  await until('not ready', async () => (await statusOf(it.port)) === 503);
  // Without the wait it is gone sooner than that.
  for (let n = 1; performance.now() - asked < 1_500; n += 1) await callAction(broker, Work, { n });
  expect(await it.exit).toBe(0);
  await broker.stop();
});

test('error: a fault that nobody caught ends the wait, and is how it ended', async () => {
  const it = await start({ SHUTDOWN_WAIT_SECONDS: '120' });
  await ready(it);
  it.child.kill('SIGTERM');
  await until('not ready', async () => (await statusOf(it.port)) === 503);
  const asked = performance.now();
  it.child.kill('SIGUSR2');
  expect(await it.exit).toBe(1);
  expect(performance.now() - asked).toBeLessThan(100_000);
});

test('behavior: it stops within its grace while the bus is away, and its readiness says so', async () => {
  const it = await start();
  await ready(it);
  expect(await statusOf(it.port, 'readyz', { method: 'HEAD' })).toBe(200);
  expect(await statusOf(it.port, 'elsewhere')).toBe(404);
  await nats.kill();
  await until('not ready', async () => (await statusOf(it.port)) === 503);
  expect(await statusOf(it.port, 'healthz')).toBe(200);
  const since = Date.now();
  it.child.kill('SIGTERM');
  const code = await it.exit;
  await nats.restart();
  expect(code).toBe(0);
  expect(Date.now() - since).toBeLessThan(20_000);
});

test('behavior: it waits for a document store that is not there yet', async () => {
  const it = await start({ MONGODB_URI: `mongodb://127.0.0.1:${await freePort()}` });
  const waits = () => it.lines.some(({ msg }) => msg === 'document store does not answer yet');
  await until('a warning', waits);
  expect(await statusOf(it.port)).toBe(503);
  expect(await statusOf(it.port, 'metrics')).toBe(200);
  it.child.kill('SIGTERM');
  expect(await it.exit).toBe(0);
});

test('behavior: counters have the same names in every scrape, whatever format came before', async () => {
  const it = await start();
  await ready(it);
  const scrape = async (accept: string) =>
    (await fetch(`http://127.0.0.1:${it.port}/metrics`, { headers: { accept } })).text();
  const openMetrics = 'application/openmetrics-text; version=1.0.0';
  const texts = await Promise.all([scrape('*/*'), scrape(openMetrics), scrape('*/*'), scrape(openMetrics)]);
  expect(texts.map((text) => /^process_cpu_seconds_total\{/m.test(text))).toEqual([true, true, true, true]);
  expect(texts.map((text) => text.includes('# EOF'))).toEqual([false, true, false, true]);
  expect(texts[0]).toContain('# TYPE peer_certificate_expires_timestamp_seconds gauge');
});

test('error: a taken port is named together with the variable that changes it', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  const it = await start({ MONITORING_PORT: String(port) });
  expect(await it.exit).toBe(1);
  other.close();
  const failure = it.lines.find(({ msg }) => msg === 'service could not start');
  expect(failure?.error).toMatchObject({ message: expect.stringContaining(`Port ${port} is taken`) });
  expect(JSON.stringify(failure)).toContain('MONITORING_PORT');
});

test('error: faults of the configuration end it with 2, all reported, no secret among them', async () => {
  const it = await start({ FIXTURE_KEY: 'short!', LOG_LEVEL: 'loud' });
  expect(await it.exit).toBe(2);
  expect(it.errors).toContain('FIXTURE_KEY');
  expect(it.errors).toContain('LOG_LEVEL');
  expect(it.errors).not.toContain('short!');
});
