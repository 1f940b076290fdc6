import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { manualClock, until } from '@castellan/testkit';
import { afterEach, expect, test } from '@jest/globals';
import { createHealth } from './health.ts';
import { type Listening, serveHealth, serveMetrics } from './http.ts';
import { createMetrics } from './metrics.ts';

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.stop()));
});

async function world() {
  const clock = manualClock();
  let answers: () => Promise<unknown> = async () => true;
  let pings = 0;
  let tickAge = 0;
  const health = createHealth({
    tickAge: () => tickAge,
    tickMs: 1000,
    now: clock.now,
    pingDatabase: () => {
      pings += 1;
      return answers();
    },
  });
  const server = await serveHealth({ host: '127.0.0.1', port: 0, report: health.report });
  open.push(server);
  return {
    clock,
    health,
    port: server.port,
    pings: () => pings,
    databaseIs: (up: boolean) => {
      answers = up ? async () => true : () => Promise.reject(new Error('mongodb://u:password@h is away'));
    },
    hang: (ms: number) => {
      tickAge = ms;
    },
    ask: async (path = '/healthz', method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
      return { status: response.status, text: await response.text() };
    },
  };
}
const ok = { status: 200, text: '{"status":"ok","checks":{"process":"ok","database":"ok"}}\n' };

test('default: ok on both paths, also to HEAD; anything else is refused', async () => {
  const { ask } = await world();
  expect(await ask()).toEqual(ok);
  expect(await ask('/readyz?x=1')).toEqual(ok);
  expect(await ask('/healthz', 'HEAD')).toEqual({ status: 200, text: '' });
  expect((await ask('/healthz', 'POST')).status).toBe(405);
  expect((await ask('/metrics')).status).toBe(404);
});

test('behavior: the store is asked once in five seconds, by however many', async () => {
  const { ask, pings, clock } = await world();
  await Promise.all([ask(), ask(), ask('/readyz')]);
  expect(pings()).toBe(1);
  clock.advance(5000);
  await ask();
  expect(pings()).toBe(2);
});

test('behavior: three silences turn the answer, one word turns it back, and nothing secret is said', async () => {
  const { ask, clock, databaseIs } = await world();
  expect(await ask()).toEqual(ok);
  databaseIs(false);
  for (const status of [200, 200, 503, 503]) {
    clock.advance(5000);
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('password');
  }
  databaseIs(true);
  clock.advance(5000);
  expect(await ask()).toEqual(ok);
});

test('error: a store that never answered is not ok', async () => {
  const { ask, databaseIs } = await world();
  databaseIs(false);
  expect((await ask()).status).toBe(503);
});

test('error: a hanging main loop, and a shutdown', async () => {
  const { ask, hang, health } = await world();
  hang(3001);
  expect(await ask()).toEqual({ status: 503, text: expect.stringContaining('"process":"failing"') });
  hang(0);
  health.close();
  expect(await ask('/readyz')).toEqual({ status: 503, text: expect.stringContaining('"running":"failing"') });
});

test('behavior: scrapes that come together are rendered once; a taken port names its key', async () => {
  const clock = manualClock();
  const options = { chains: [], version: '1', now: clock.now, healthCheckIntervalMs: 1, tickMs: 1 };
  const { registry } = createMetrics({ ...options, processMetrics: false });
  let rendered = 0;
  let arrived = 0;
  const render = registry.metrics.bind(registry);
  registry.metrics = async () => {
    rendered += 1;
    await until('all three requests', () => arrived === 3);
    return render();
  };
  const server = await serveMetrics({ host: '127.0.0.1', port: 0, registry });
  open.push(server);
  const onRequest = () => {
    arrived += 1;
  };
  subscribe('http.server.request.start', onRequest);
  const scrape = () => fetch(`http://127.0.0.1:${server.port}/metrics`);
  const [first] = await Promise.all([scrape(), scrape(), scrape()]);
  unsubscribe('http.server.request.start', onRequest);
  expect(first.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await first.text()).toContain('\nocr2_up 1\n');
  expect(rendered).toBe(1);
  await expect(serveMetrics({ host: '127.0.0.1', port: server.port, registry })).rejects.toThrow(
    /monitoring\.metrics_port/,
  );
});
