import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import type { GatewayConfig } from '../src/config.ts';
import { startTestGateway, type TestGateway, testConfig } from './harness.ts';

let gateway: TestGateway;
const opened: Socket[] = [];
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  await gateway.stop();
});

async function listening(connections: Partial<GatewayConfig['connections']>, config: Partial<GatewayConfig> = {}) {
  gateway = await startTestGateway({
    config: { connections: { ...testConfig().connections, ...connections }, ...config },
  });
  await gateway.http.listen({ host: '127.0.0.1', port: 0 });
  return (gateway.http.server.address() as { port: number }).port;
}

/** A connection with how it went: open, or closed by the gateway. */
async function dial(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  opened.push(socket);
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, closed };
}

async function ask({ socket }: { socket: Socket }): Promise<string> {
  socket.write('GET /docs/style.css HTTP/1.1\r\nhost: x\r\n\r\n');
  const [heard] = (await once(socket, 'data')) as [Buffer];
  return `${heard}`.split('\r\n')[0] ?? '';
}

const refused = async () =>
  (await gateway.ports.metrics.refusedConnections.get()).values.map(({ labels, value }) => [labels.reason, value]);

test('default: an address holds so many connections and no more, until one ends', async () => {
  const port = await listening({ perAddress: 3 });
  const held: Socket[] = [];
  gateway.http.server.on('connection', (socket: Socket) => void held.push(socket));
  const first = await dial(port);
  await dial(port);
  const third = await dial(port);
  await (await dial(port)).closed;
  expect(await refused()).toEqual([['address', 1]]);
  expect(await ask(third)).toBe('HTTP/1.1 200 OK');
  const ended = once(held[0] as Socket, 'close');
  first.socket.destroy();
  await ended;
  expect(await ask(await dial(port))).toBe('HTTP/1.1 200 OK');
});

test('behavior: of connections that wait the longest silent is closed, and one that was just used stays', async () => {
  const port = await listening({ idlePerAddress: 2 });
  const first = await dial(port);
  const second = await dial(port);
  expect(await ask(first)).toBe('HTTP/1.1 200 OK');
  await dial(port);
  await second.closed;
  expect(await ask(first)).toBe('HTTP/1.1 200 OK');
  expect(await refused()).toEqual([['idle', 1]]);
});

test('behavior: behind a proxy its address is everybody, and only the total counts', async () => {
  const port = await listening(
    { perAddress: 1, idlePerAddress: 1, total: 2 },
    { http: { ...testConfig().http, trustProxy: 1 } },
  );
  const both = [await dial(port), await dial(port)];
  await (await dial(port)).closed;
  for (const each of both) expect(await ask(each)).toBe('HTTP/1.1 200 OK');
  expect(await refused()).toEqual([['total', 1]]);
});

/** Begins a body that says how long it is, and waits for the first line of the answer. */
async function begin({ socket }: { socket: Socket }, length: string): Promise<string> {
  socket.write(`POST /idp/v1/nonce HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${length}\r\n\r\n`);
  const [heard] = (await once(socket, 'data')) as [Buffer];
  return `${heard}`.split('\r\n')[0] ?? '';
}

test('behavior: who sends a body that is too large is answered, may send it whole, and keeps the connection', async () => {
  const sender = await dial(await listening({}));
  const length = 2 * 1_048_576;
  expect(await begin(sender, `content-length: ${length}`)).toBe('HTTP/1.1 413 Payload Too Large');
  sender.socket.write('x'.repeat(length));
  expect(await ask(sender)).toBe('HTTP/1.1 200 OK');
});

test('error: a body of a hundred mebibytes is not read past: its connection is closed', async () => {
  const sender = await dial(await listening({}));
  expect(await begin(sender, `content-length: ${100 * 1_048_576}`)).toBe('HTTP/1.1 413 Payload Too Large');
  await sender.closed;
});
