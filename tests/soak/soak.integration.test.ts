import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@castellan/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Delivered, WebhookEvent } from '../system/webhook.ts';
import { Answers, outages } from './answers.ts';
import { Balancer } from './balancer.ts';
import { BusDoor } from './bus-door.ts';
import { Heard, streamsAgree } from './heard.ts';
import { goals, report } from './report.ts';
import { Strangers } from './strangers.ts';
import { judged } from './webhooks.ts';

/** What the soak measures and judges with, on answers and instances of this file's own. */

const undo: (() => unknown)[] = [];
afterEach(() => {
  for (const close of undo.splice(0)) close();
});

describe('time without answers', () => {
  const answers = new Answers();
  for (const at of [0, 1_000, 2_000, 9_000, 10_000]) answers.answered('vaults', at);
  for (const at of [0, 5_000, 10_000]) answers.answered('auth', at);

  test('default: the longest time between two answers around the fault, of the service that it met', () => {
    const rows = outages(answers, [
      { kind: 'killed', process: 'vaults-1', from: 1_500, to: 3_000 },
      { kind: 'killed', process: 'vaults-2', from: 9_500, to: 9_700 },
    ]);
    expect(rows).toEqual([{ kind: 'killed', target: 'vaults', times: 2, p50: 7, max: 7, slowest: 'vaults' }]);
  });

  test('behavior: what nobody asks counts the service that was silent for longest', () => {
    const [row] = outages(answers, [{ kind: 'frozen', process: 'nats-0', from: 500, to: 800 }]);
    expect(row).toMatchObject({ target: 'nats', max: 5, slowest: 'auth' });
  });

  test('behavior: the goal is missed by a killed process alone, above what the documentation says', () => {
    const row = (kind: string, target: string, max: number) => ({ kind, target, times: 1, p50: 1, max, slowest: '' });
    const missed = (...rows: ReturnType<typeof row>[]): string[] => {
      const said: string[] = [];
      report(new Answers(), rows, (line) => said.push(line));
      return said.filter((line) => line.includes('missed')).map((line) => line.trim().replaceAll(/ +/g, ' '));
    };
    expect(
      missed(row('killed', 'vaults', 5), row('killed with another', 'vaults', 9), row('frozen', 'vaults', 9)),
    ).toEqual([]);
    expect(missed(row('killed', 'vaults', 5.2), row('killed', 'store', 9))).toEqual([
      'vaults killed 1 1.0 5.2 missed: 5 s',
    ]);
    const page = readFileSync(join(import.meta.dirname, '../../docs/operations/soak.md'), 'utf8');
    const table = [...page.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, target, goal]) => [target, Number(goal)]);
    expect(table).toEqual(Object.entries(goals));
  });
});

describe('two listeners', () => {
  /** One that begins behind `after`, hears what numbers stand for, and hears of a reset; a connection begins with the vault as it is. */
  const heard = (after: number, ...what: (number | 'reset' | { vault: number })[]): Heard => {
    const one = new Heard();
    one.vault(after);
    for (const each of what)
      if (each === 'reset') one.reset();
      else if (typeof each === 'number') one.update(each);
      else one.vault(each.vault);
    return one;
  };
  const faultsOf = (published: readonly number[], ...listeners: Heard[]) =>
    streamsAgree(listeners, { ids: published, vaults: [], upTo: 10, lost: 0 }).faults;

  test('default: every update from where each of them began', () => {
    expect(faultsOf([1, 2, 4], heard(0, 1, 2, 4), heard(1, 2, 4))).toEqual([]);
    // What comes after the reader has ended is held against nothing.
    expect(faultsOf([1, 2], heard(0, 1, 2, 11), heard(1, 2))).toEqual([]);
  });

  test('behavior: what a reset says is gone is not due, and what comes before and behind it is', () => {
    const afterReset = [{ vault: 5 }, 6] as const;
    expect(faultsOf([1, 3, 5, 6], heard(0, 1, 'reset', ...afterReset), heard(0, 1, 3, 5, 6))).toEqual([]);
    expect(faultsOf([1, 2, 3, 5, 6], heard(0, 1, 3, 'reset', ...afterReset), heard(0, 1, 2, 3, 5, 6))).toEqual([
      'update 2 did not reach listener 1',
    ]);
    expect(faultsOf([1, 6, 7], heard(0, 1, 'reset', { vault: 5 }, 7), heard(0, 1, 6, 7))).toEqual([
      'update 6 did not reach listener 1',
    ]);
  });

  test('error: an update that nobody got, or that the vault of a new connection passed over', () => {
    expect(faultsOf([1, 2, 3], heard(0, 1, 3), heard(0, 1, 3))).toEqual([
      'update 2 did not reach listener 1',
      'update 2 did not reach listener 2',
    ]);
    expect(faultsOf([1, 2], heard(0, 1, { vault: 4 }, 'reset', { vault: 6 }), heard(0, 1, 2))).toEqual([
      'update 2 did not reach listener 1',
    ]);
  });

  test('behavior: the vault as it is comes as an update too, and what a connection begins with stands for no other', () => {
    const faults = (...listeners: Heard[]) =>
      streamsAgree(listeners, { ids: [1, 4], vaults: [2], upTo: 4, lost: 0 }).faults;
    expect(faults(heard(0, 1, { vault: 2 }, 4), heard(0, 1, { vault: 2 }, { vault: 2 }, 4))).toEqual([]);
    expect(faults(heard(0, 1, 4), heard(0, 1, { vault: 2 }, { vault: 4 }))).toEqual([
      'update 2 did not reach listener 1',
      'update 4 did not reach listener 2',
    ]);
  });

  test('error: one who hears nothing more, or nothing at all', () => {
    expect(faultsOf([1, 2], heard(0, 1), heard(0, 1, 2))).toEqual(['update 2 did not reach listener 1']);
    expect(faultsOf([], new Heard(), new Heard())).toEqual([
      'listener 1 received no update',
      'listener 2 received no update',
    ]);
  });

  test('error: an update that one of them got twice, or that was not published', () => {
    expect(faultsOf([1, 2], heard(0, 1, 2, 2), heard(0, 1, 2))).toEqual(['update 2 came again or late to listener 1']);
    expect(faultsOf([1], heard(0, 1), heard(0, 1, 2))).toEqual([
      'update 2 reached listener 2 and is not in the stream',
    ]);
  });

  test('error: messages of the stream that could not be read', () => {
    const listeners = [heard(0, 1), heard(0, 1)];
    expect(streamsAgree(listeners, { ids: [1], vaults: [], upTo: 9, lost: 3 }).faults).toEqual([
      '3 messages of the stream could not be read',
    ]);
  });
});

describe('deliveries of a webhook', () => {
  const secret = 'a secret of the receiver';
  const delivered = (sequence: number, event_id: string): Delivered => {
    const event: WebhookEvent = {
      event_id,
      event_type: 'alert.opened',
      sequence,
      chain_id: 31337,
      vault_address: null,
      data: { alert: null, note: null },
    };
    const body = JSON.stringify(event);
    const at = 1_790_000_000_000;
    const headers = {
      'x-castellan-timestamp': `${at / 1000}`,
      'x-castellan-signature': `v1=${createHmac('sha256', secret)
        .update(`${at / 1000}.${body}`)
        .digest('hex')}`,
      'x-castellan-event-id': event_id,
      'x-castellan-sequence': `${sequence}`,
    };
    return { at, headers, body, event };
  };
  const faultsOf = (...got: Delivered[]) => judged(got, secret).faults;

  test('default: numbers in order; a repeat has the id it had', () => {
    const all = [delivered(4, 'a'), delivered(5, 'b'), delivered(5, 'b'), delivered(6, 'c')];
    expect(judged(all, secret)).toMatchObject({ repeats: 1, faults: [] });
  });

  test('error: a gap, an unmarked repeat, an event under two numbers, a signature of another secret', () => {
    expect(faultsOf(delivered(4, 'a'), delivered(6, 'c'))).toEqual(['6 came behind 4']);
    expect(faultsOf(delivered(4, 'a'), delivered(4, 'b'))).toEqual(['4 came as a and as b']);
    expect(faultsOf(delivered(4, 'a'), delivered(5, 'a'))).toEqual(['an event came under two numbers']);
    expect(judged([delivered(4, 'a')], 'another').faults).toEqual(['a: the signature is not of this body']);
  });
});

test('error: what a stranger reads is a breach, and an answer that is missing is none', async () => {
  let code = 200;
  const server = createServer((_, response) => response.writeHead(code).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  process.env.E2E_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const strangers = new Strangers({ chain_id: 31337, vault_address: '0x00' });
  for (code of [403, 503]) await strangers.mustNotRead('a stranger', '/secret', undefined);
  expect(strangers.verdict()).toMatchObject({ faults: ['nothing was allowed'] });
  code = 200;
  await strangers.mustNotRead('a stranger', '/secret', undefined);
  expect(strangers.verdict().faults).toEqual([
    expect.stringContaining('a stranger read /secret'),
    'nothing was allowed',
  ]);
});

describe('the balancer', () => {
  const instance = async (name: string, port = 0): Promise<{ server: Server; port: number }> => {
    const server = createServer((_, response) => response.end(name));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    undo.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    return { server, port: (server.address() as AddressInfo).port };
  };
  const before = async (ports: readonly number[]): Promise<string> => {
    const balancer = new Balancer(ports.map((port) => ({ port, readyUrl: `http://127.0.0.1:${port}/readyz` })));
    const own = await freePort();
    await balancer.listen(own);
    undo.push(() => balancer.close());
    return `http://127.0.0.1:${own}`;
  };
  const said = async (url: string, method = 'GET') => (await fetch(url, { method })).text();

  test('default: requests go to the instances in turns', async () => {
    const url = await before([(await instance('a')).port, (await instance('b')).port]);
    expect([await said(url), await said(url)].sort()).toEqual(['a', 'b']);
  });

  test('behavior: an instance that is gone is passed over, for a write too, since it got nothing', async () => {
    const url = await before([(await instance('a')).port, await freePort()]);
    const all = [await said(url), await said(url), await said(url, 'POST'), await said(url, 'POST')];
    expect(all).toEqual(['a', 'a', 'a', 'a']);
  });

  test('behavior: a write that an instance took and did not answer is not sent to another', async () => {
    const taking = createTcpServer((socket) => socket.once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => taking.listen(0, '127.0.0.1', resolve));
    undo.push(() => taking.close());
    const url = await before([(taking.address() as AddressInfo).port, (await instance('b')).port]);
    const statuses = [];
    for (const method of ['POST', 'POST']) statuses.push((await fetch(url, { method })).status);
    expect(statuses.sort()).toEqual([200, 502]);
    expect([await said(url), await said(url)]).toEqual(['b', 'b']);
  });
});

test('behavior: a door to the bus that is cut breaks what is open and lets nothing through until it is mended', async () => {
  const server = createTcpServer((socket) => void socket.write('INFO'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const door = new BusDoor((server.address() as AddressInfo).port);
  const port = await door.open();
  undo.push(
    () => door.close(),
    () => server.close(),
  );
  /** What is heard first, and then the end. */
  const joined = () =>
    new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      undo.push(() => socket.destroy());
      socket.once('data', (data) => resolve(String(data)));
      socket.once('close', () => resolve('closed'));
      socket.once('error', () => resolve('closed'));
    });
  expect(await joined()).toBe('INFO');
  door.cut();
  expect(await joined()).toBe('closed');
  door.mend();
  expect(await joined()).toBe('INFO');
});
