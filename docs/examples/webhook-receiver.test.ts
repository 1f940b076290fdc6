import { createHmac } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createReceiver, memoryIn, serve } from './webhook-receiver.ts';

const secret = 'a-secret-of-at-least-24-characters';
const vault_address = `0x${'22'.repeat(20)}`;
type Event = Parameters<ReturnType<typeof memoryIn>['add']>[0];
const anEvent = (sequence: number | null): Event => ({
  event_id: `e${sequence}`,
  event_type: sequence === null ? 'test' : 'alert.opened',
  sequence,
  timestamp: '2026-06-01T12:00:00.000Z',
  chain_id: sequence === null ? null : 31337,
  vault_address: sequence === null ? null : vault_address,
  data: { alert: null, note: null },
});

let folder: string;
let server: Server | undefined;
let handled: string[];
let asked: number[];
let failures: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-receiver-'));
  [handled, asked, failures] = [[], [], 0];
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = () => join(folder, 'handled.jsonl');

/** Starts the receiver as its program does; a later one goes on with the same file. */
async function start(): Promise<number> {
  server?.close();
  const receive = createReceiver({
    secret,
    memory: memoryIn(file()),
    handle: ({ event_id }) => {
      if (failures-- > 0) throw new Error('the store of the handler is away');
      handled.push(event_id);
    },
    missed: async (_, after) => {
      asked.push(after);
      return [1, 2, 3, 4, 5, 6].filter((sequence) => sequence > after).map(anEvent);
    },
  });
  const started = serve(receive, () => undefined);
  server = started;
  await new Promise<void>((resolve) => void started.listen(0, '127.0.0.1', resolve));
  return (started.address() as AddressInfo).port;
}

async function deliver(port: number, event: Event, key = secret): Promise<number> {
  const body = JSON.stringify(event);
  const timestamp = `${Math.floor(Date.now() / 1000)}`;
  const hash = createHmac('sha256', key).update(`${event.event_id}.${timestamp}.${body}`).digest('base64');
  const headers = { 'webhook-id': event.event_id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${hash}` };
  return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status;
}

test('default: an event that comes twice, also at the same time, has its effect once', async () => {
  const port = await start();
  expect(await Promise.all([deliver(port, anEvent(1)), deliver(port, anEvent(1))])).toEqual([200, 200]);
  expect(await deliver(port, anEvent(null))).toBe(200);
  expect(handled).toEqual(['e1', 'enull']);
});

test('behavior: an event whose effect fails is not remembered, and has it when it comes again', async () => {
  const port = await start();
  failures = 1;
  expect(await deliver(port, anEvent(1))).toBe(500);
  expect(await deliver(port, anEvent(1))).toBe(200);
  expect(handled).toEqual(['e1']);
});

test('behavior: what was missed is asked for and handled first, also what was missed while it did not run', async () => {
  const port = await start();
  await deliver(port, anEvent(1));
  expect(await deliver(port, anEvent(3))).toBe(200);
  const again = await start();
  expect(await deliver(again, anEvent(3))).toBe(200);
  expect(await deliver(again, anEvent(6))).toBe(200);
  expect([handled, asked]).toEqual([
    ['e1', 'e2', 'e3', 'e4', 'e5', 'e6'],
    [1, 3],
  ]);
});

test('behavior: a line that a crash cut short is no event that was handled', async () => {
  const port = await start();
  await deliver(port, anEvent(1));
  appendFileSync(file(), '\n{"event_id":"e2","va');
  const again = await start();
  await deliver(again, anEvent(2));
  await deliver(await start(), anEvent(2));
  expect(handled).toEqual(['e1', 'e2']);
});

test('error: what is not signed is refused, and a request that is cut ends nothing', async () => {
  const port = await start();
  expect(await deliver(port, anEvent(1), 'another-secret')).toBe(400);
  const socket = connect(port, '127.0.0.1', () => {
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nhalf');
    setTimeout(() => socket.destroy(), 50);
  });
  await new Promise((resolve) => socket.on('close', resolve));
  expect(await deliver(port, anEvent(1))).toBe(200);
  expect(handled).toEqual(['e1']);
});
