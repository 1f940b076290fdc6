import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TerminalAnswer, type TerminalRequest } from '@castellan/contracts';
import { handOverPage } from './browser-page.ts';

type Proof = TerminalAnswer['proof'];
/** What becomes of what was signed; it is asked for once. */
type Use<T> = (proof: Proof) => Promise<T>;

/** A wait for a wallet: where it listens, with which state. */
export type Waiting<T> = TerminalRequest & {
  /** What came of it. @throws what kept it from being used, or the reason that the wait was given up for. */
  readonly outcome: Promise<T>;
};

const longestAnswer = 65_536;

/** An answer that the browser gets for what it should not have sent. */
class Unwelcome extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`Refused with ${status}.`);
    this.status = status;
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > longestAnswer) throw new Unwelcome(413);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function answerIn(text: string): TerminalAnswer {
  try {
    return TerminalAnswer.parse(JSON.parse(text));
  } catch {
    throw new Unwelcome(400);
  }
}

/** Compared without saying by its time how much of it was right. */
const isSame = (left: string, right: string): boolean => {
  const one = Buffer.from(left);
  const other = Buffer.from(right);
  return one.length === other.length && timingSafeEqual(one, other);
};

/**
 * The proof of a request that only our own page can have sent: another page has another origin, a name that was made to mean this
 * address is another host, and nobody guesses the state.
 */
async function proofOf(request: IncomingMessage, origin: string, state: string): Promise<Proof> {
  const { headers } = request;
  if (headers.origin !== origin || headers['content-type'] !== 'application/json') throw new Unwelcome(403);
  const answer = answerIn(await textOf(request));
  if (!isSame(answer.state, state)) throw new Unwelcome(403);
  return answer.proof;
}

const respond = (response: ServerResponse, status: number, headers: Record<string, string> = {}, body = ''): void =>
  void response.writeHead(status, { 'cache-control': 'no-store', connection: 'close', ...headers }).end(body);

/** Lets the last answer go out; what a browser opened and never used does not hold up the process. */
function close(server: Server): void {
  server.close();
  server.closeIdleConnections();
  setTimeout(() => server.closeAllConnections(), 1_000).unref();
}

type Settle<T> = { resolve: (value: T) => void; reject: (error: unknown) => void };

function serve<T>(server: Server, { port, state }: TerminalRequest, use: Use<T>, { resolve, reject }: Settle<T>): void {
  const host = `127.0.0.1:${port}`;
  let isTaken = false;
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const proof = await proofOf(request, `http://${host}`, state);
    if (isTaken) throw new Unwelcome(409);
    isTaken = true;
    try {
      const value = await use(proof);
      respond(response, 204);
      resolve(value);
    } catch (error) {
      respond(response, 422);
      reject(error);
    }
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers.host !== host) throw new Unwelcome(421);
    if (request.method === 'POST' && request.url === '/answer') return take(request, response);
    if (request.method !== 'GET' || request.url !== '/') throw new Unwelcome(404);
    const { html, headers } = handOverPage(randomBytes(16).toString('base64url'));
    respond(response, 200, headers, html);
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch((error: unknown) =>
      respond(response, error instanceof Unwelcome ? error.status : 500),
    );
  });
}

/**
 * Waits on a port of the loopback address for what a wallet signs in the browser. The first answer with the state is used, and the
 * port is closed then.
 * @param signal - Gives up.
 */
export async function waitForWallet<T>(use: Use<T>, signal: AbortSignal): Promise<Waiting<T>> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 });
  const state = randomBytes(32).toString('hex');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0, exclusive: true }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const outcome = new Promise<T>((resolve, reject) => {
    serve(server, { port, state }, use, { resolve, reject });
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  }).finally(() => close(server));
  return { port, state, outcome };
}
