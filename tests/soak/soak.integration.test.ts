import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { freePort } from '@castellan/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Delivered, WebhookEvent } from '../system/webhook.ts';
import { Answers, outages } from './answers.ts';
import { Balancer } from './balancer.ts';
import { BusDoor } from './bus-door.ts';
import { streamsAgree } from './checks.ts';
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
});

describe('two listeners', () => {
  const heard = (...ids: number[]) => ({ ids: ids.map(String), resets: 0, interruptions: 0 });

  test('default: the same updates, where both listened', () => {
    expect(streamsAgree([heard(1, 2, 3), heard(2, 3, 4)]).faults).toEqual([]);
  });

  test('error: an update that one of them did not get, or got twice', () => {
    expect(streamsAgree([heard(1, 2, 3), heard(1, 3)]).faults).toEqual(['update 2 reached one listener of two']);
    expect(streamsAgree([heard(1, 2, 2, 3), heard(1, 2, 3)]).faults).toEqual(['update 2 came again or late']);
    expect(streamsAgree([heard(), heard()]).faults).toEqual(['no update was received']);
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
