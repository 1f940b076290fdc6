import { createServer, type Server as HttpServer } from 'node:http';
import { type Socket as NetSocket, connect as openSocket } from 'node:net';
import { freePort, until } from '@castellan/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Server } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { startTestGateway, type TestGateway } from './harness.ts';

let gateway: TestGateway;
let upstream: HttpServer;
let chat: Server;
let url: string;
let port: number;
type Unread = { conn: { transport: { socket: { bufferedAmount: number } } } };

/** What the chat keeps to itself, once it has been the same for a quarter of a second: nothing flows any more. */
const settledBuffer = ({ conn }: Unread): Promise<number> => {
  let last = 0;
  let since = performance.now();
  return until('the flow to stop', () => {
    const { bufferedAmount } = conn.transport.socket;
    if (bufferedAmount !== last) [last, since] = [bufferedAmount, performance.now()];
    return last > 0 && performance.now() - since > 250 ? last : undefined;
  });
};
const opened: Socket[] = [];
/** Headers the chat saw. */
const seen: Record<string, unknown>[] = [];

async function startChat(): Promise<void> {
  upstream = createServer();
  chat = new Server(upstream, {
    path: '/socket.io',
    transports: ['websocket'],
    allowRequest: ({ headers }, answer) => {
      seen.push(headers);
      answer(null, headers.origin !== 'https://evil.example');
    },
  });
  chat.of('/ai/chat').on('connection', (socket) => {
    socket.on('echo', (text: string) => socket.emit('echo', text));
    socket.on('flood', (count: number) => {
      for (let n = 0; n < count; n += 1) socket.emit('piece', 'x'.repeat(65_536));
    });
  });
  await new Promise<void>((resolve) => upstream.listen(Number(new URL(url).port), '127.0.0.1', resolve));
}
const stopChat = () => new Promise<void>((resolve) => void chat.close(() => resolve()));

async function startGateway(config: Parameters<typeof startTestGateway>[0] = {}): Promise<void> {
  gateway = await startTestGateway({ ...config, config: { chat: { url }, ...config.config } });
  await gateway.http.listen({ host: '127.0.0.1', port: 0 });
  port = (gateway.http.server.address() as { port: number }).port;
}

beforeEach(async () => {
  seen.splice(0);
  url = `http://127.0.0.1:${await freePort()}`;
  await startChat();
  await startGateway();
});
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.close();
  await gateway.stop();
  await stopChat();
});

const connect = (options: Parameters<typeof io>[1] = {}) => {
  const socket = io(`http://127.0.0.1:${port}/ai/chat`, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    timeout: 30_000,
    ...options,
  });
  opened.push(socket);
  return socket;
};
const outcomeOf = (socket: Socket) =>
  new Promise<string>((resolve) => {
    socket.once('connect', () => resolve('connected'));
    socket.once('connect_error', () => resolve('refused'));
  });
const echo = (socket: Socket, text: string) =>
  new Promise<string>((resolve) => {
    socket.once('echo', resolve);
    socket.emit('echo', text);
  });

describe('the tunnel of the chat', () => {
  test('default: a websocket reaches the chat, both ways, with its origin and nothing private', async () => {
    const socket = connect({
      extraHeaders: { origin: 'https://friend.example', cookie: 'a=b', authorization: 'Bearer x' },
    });
    expect(await outcomeOf(socket)).toBe('connected');
    expect(await echo(socket, 'héllo')).toBe('héllo');
    expect(await echo(socket, 'y'.repeat(200_000))).toHaveLength(200_000);
    expect(seen[0]).toMatchObject({ origin: 'https://friend.example', 'x-request-id': expect.any(String) });
    expect(seen[0]).not.toHaveProperty('cookie');
    expect(seen[0]).not.toHaveProperty('authorization');
  });

  test("error: what the chat refuses is refused, and the API's requests go on", async () => {
    expect(await outcomeOf(connect({ extraHeaders: { origin: 'https://evil.example' } }))).toBe('refused');
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/openapi.json`)).status).toBe(200);
  });

  test('error: plain HTTP is answered with how to connect', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling`);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('error: 503 at once while the chat is away, and it is found again', async () => {
    await stopChat();
    const began = Date.now();
    expect(await outcomeOf(connect())).toBe('refused');
    expect(Date.now() - began).toBeLessThan(10_000);
    const [head] = await raw(
      'GET /socket.io/?EIO=4 HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n',
    );
    expect(head).toContain('HTTP/1.1 503');
    expect(head).toContain('application/problem+json');
    await startChat();
    expect(await outcomeOf(connect())).toBe('connected');
  });

  test('error: 503 for plain HTTP and websockets where no chat is configured', async () => {
    await gateway.stop();
    await startGateway({ config: { chat: { url: undefined } } });
    const response = await fetch(`http://127.0.0.1:${port}/socket.io/`);
    expect([response.status, (await response.json()) as unknown]).toEqual([
      503,
      expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }),
    ]);
    expect(await outcomeOf(connect())).toBe('refused');
  });

  test('error: handshakes are limited like other requests', async () => {
    await gateway.stop();
    const rates = { apiPerSecond: 1, apiBurst: 2, preparePerSecond: 1, idpPerMinute: 1, networkMultiple: 5 };
    await startGateway({ config: { rates } });
    const outcomes: string[] = [];
    for (let n = 0; n < 4; n += 1) outcomes.push(await outcomeOf(connect()));
    expect(outcomes).toEqual(['connected', 'connected', 'refused', 'refused']);
  });

  test('behavior: an upgrade to something else is the plain request that it also is', async () => {
    const [head] = await raw(
      'GET /api/v1/openapi.json HTTP/1.1\r\nhost: x\r\nconnection: Upgrade, close\r\nupgrade: h2c\r\n\r\n',
    );
    expect(head).toContain('HTTP/1.1 200');
  });

  test('behavior: the chat is closed with its client, and the client with the chat', async () => {
    const socket = connect();
    await outcomeOf(socket);
    socket.close();
    await until('the chat to see it', () => chat.of('/ai/chat').sockets.size === 0);
    const other = connect();
    await outcomeOf(other);
    const gone = new Promise((resolve) => other.once('disconnect', resolve));
    chat.of('/ai/chat').disconnectSockets(true);
    await gone;
  });

  test('behavior: a client that does not read slows the chat down, and nothing piles up in between', async () => {
    const socket = connect();
    await outcomeOf(socket);
    const wire = (socket.io.engine as unknown as { transport: { ws: { _socket: NetSocket } } }).transport.ws._socket;
    wire.pause();
    const before = process.memoryUsage().external;
    const pieces = 1_600;
    let received = 0;
    socket.on('piece', () => (received += 1));
    socket.emit('flood', pieces);
    const [sent] = [...chat.of('/ai/chat').sockets.values()] as unknown as [Unread];
    const bufferedAmount = await settledBuffer(sent);
    // 100 MiB were sent: what the kernel does not take stays with the chat, where it is bounded.
    expect(bufferedAmount).toBeGreaterThan(50 * 1024 * 1024);
    expect(process.memoryUsage().external - before).toBeLessThan(250 * 1024 * 1024);
    wire.resume();
    await until('everything to arrive', () => received === pieces);
  });

  test('behavior: the gateway closes without waiting for chats', async () => {
    const socket = connect();
    await outcomeOf(socket);
    const began = Date.now();
    await gateway.stop();
    expect(Date.now() - began).toBeLessThan(10_000);
    await until('the client to notice', () => socket.disconnected);
    await startGateway();
  });
});

/** One request in raw bytes. @returns head and body of the answer. */
const raw = (request: string) =>
  new Promise<string[]>((resolve) => {
    const socket = openSocket({ host: '127.0.0.1', port });
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.once('close', () => resolve(text.split('\r\n\r\n')));
    socket.write(request);
  });
