import { request as ask, type IncomingHttpHeaders, type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '@castellan/contracts';
import { type Identity, requestIdHeader } from '@castellan/service-kit';
import type { TokenVerifier } from '@castellan/tokens';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { ChatHandshake } from './chat-handshake.ts';

const path = '/socket.io/';
const connectTimeoutMs = 5_000;

/** What the chat needs to know of the request; cookies and the like are nothing to it. No extension: nothing is compressed. */
const passedOn = [
  ...['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-protocol'],
  ...['origin', 'user-agent', 'traceparent'],
];
/** What of its answer the client needs. */
const passedBack = ['sec-websocket-accept', 'sec-websocket-protocol'];

const picked = (headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])));

const isPath = (url: string | undefined): boolean => url !== undefined && (url === path || url.startsWith(`${path}?`));

/** Whether node should hand the connection over instead of reading a request from it. */
export const isTunnel = ({ url, headers }: IncomingMessage): boolean =>
  isPath(url) && headers.upgrade?.toLowerCase() === 'websocket';

const away = (cause?: unknown) =>
  new AppError('SERVICE_UNAVAILABLE', 'The chat is not available. Try again shortly.', {
    data: { retry_after_seconds: 2 },
    ...(cause === undefined ? {} : { cause }),
  });

type Opened = { answer: IncomingMessage; socket: Duplex; head: Buffer };

/** Opens the same websocket at the chat. @throws AppError when it is away, or refuses. */
const open = (url: string, { url: target, headers }: IncomingMessage, requestId: string): Promise<Opened> =>
  new Promise((resolve, reject) => {
    const outgoing = ask(new URL(target ?? path, url), {
      headers: {
        ...picked(headers, passedOn),
        [requestIdHeader]: requestId,
        connection: 'Upgrade',
        upgrade: 'websocket',
      },
      timeout: connectTimeoutMs,
      agent: false,
    });
    outgoing.once('upgrade', (answer, socket, head) => {
      socket.setTimeout(0);
      resolve({ answer, socket, head });
    });
    outgoing.once('response', (answer) => {
      answer.resume();
      const isOurs = (answer.statusCode ?? 500) >= 500;
      reject(isOurs ? away() : new AppError('BAD_REQUEST', 'The chat refused the connection: see its handshake.'));
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('The chat does not answer.')));
    outgoing.once('error', (error) => reject(away(error)));
    outgoing.end();
  });

/**
 * Joins both ends byte by byte, but for the client's handshake: a side that does not read slows the other down, and nothing
 * piles up here.
 */
function join(client: Duplex, head: Buffer, { answer, socket, head: first }: Opened, handshake: ChatHandshake): void {
  const headers = { ...picked(answer.headers, passedBack), connection: 'Upgrade', upgrade: 'websocket' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
  if (first.length > 0) client.write(first);
  if (head.length > 0) handshake.write(head);
  client.pipe(handshake).pipe(socket);
  socket.pipe(client);
  handshake.once('error', () => client.destroy());
  for (const [from, to] of [
    [client, socket],
    [socket, client],
  ] as const) {
    from.once('error', () => to.destroy());
    from.once('close', () => to.destroy());
  }
}

/**
 * Passes websockets of the chat on to the AI service, with an envelope in the place of each token. Their upgrade runs through
 * the same hooks as every request, so that it is limited and logged like one; what cannot be passed on is a problem. Not
 * @fastify/http-proxy: it accepts before it knows whether anybody is there, and keeps in memory whatever a slow client does not
 * read.
 */
export function registerChat(
  app: FastifyInstance,
  {
    url,
    verifier,
    identity,
    limit,
  }: { url: string | undefined; verifier: TokenVerifier; identity: Identity; limit: onRequestHookHandler },
): void {
  const waiting = new WeakMap<IncomingMessage, { socket: Duplex; head: Buffer }>();
  const tunnels = new Set<Duplex>();
  app.server.on('upgrade', (request: IncomingMessage, socket, head) => {
    socket.on('error', () => socket.destroy());
    waiting.set(request, { socket, head });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
    response.once('finish', () => socket.end());
    app.routing(request, response);
  });
  app.get(path, { onRequest: [limit] }, async (request, reply) => {
    if (url === undefined) throw away();
    const client = waiting.get(request.raw);
    if (!client) throw new AppError('BAD_REQUEST', 'The chat is a websocket: connect with transports: ["websocket"].');
    const opened = await open(url, request.raw, request.id);
    if (client.socket.destroyed) return void opened.socket.destroy();
    reply.hijack();
    reply.raw.detachSocket(client.socket as Parameters<ServerResponse['detachSocket']>[0]);
    tunnels.add(client.socket);
    client.socket.once('close', () => tunnels.delete(client.socket));
    join(client.socket, client.head, opened, new ChatHandshake({ verifier, identity }));
  });
  // The server waits for every connection, and these would not end.
  app.addHook('preClose', async () => {
    for (const socket of tunnels) socket.destroy();
  });
}
