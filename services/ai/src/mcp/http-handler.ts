import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { AppError, type Caller } from '@castellan/contracts';
import { toAppError } from '@castellan/service-kit';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { HttpHandler } from '../http/http-port.ts';
import { type McpDeps, mcpServer } from './server.ts';

export type McpPorts = McpDeps & {
  /** Who a request is from, by what the gateway put into its headers. @throws AppError */
  admit: (headers: IncomingHttpHeaders) => Promise<Caller>;
  /** Of pages that may ask; programs name no origin. */
  origins: readonly string[];
  /** Counts one request; 0 when it may be made, else the seconds to wait. */
  secondsUntilRequest: (wallet: string) => Promise<number>;
  /** Requests of one wallet that run at the same time. */
  atOnce: number;
  log: { warn(message: string, fields: { error: Error }): void };
};

/** A call of a tool is small; a body beyond this is none. */
const largestBody = 65_536;

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > largestBody) throw new AppError('BODY_TOO_LARGE', `The body is larger than ${largestBody} bytes.`);
    chunks.push(chunk);
  }
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw new AppError('MALFORMED_JSON', 'The body is not valid JSON.', { cause: error });
  }
  // One request would else hold many calls, past every limit.
  if (Array.isArray(body)) throw new AppError('BAD_REQUEST', 'Send one message per request.');
  return body;
}

/** RFC 6750: the answer says what is wrong with a client's token. */
const challengeOf = ({ code }: AppError): string =>
  code === 'TOKEN_MISSING' ? 'Bearer realm="castellan"' : 'Bearer realm="castellan", error="invalid_token"';

function refuse(response: ServerResponse, { status, code, message, data }: AppError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const error = { code: -32_000, message, data: { code } };
  const retry = data?.retry_after_seconds;
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      // What is left of a body that was not read is nobody's next request.
      connection: 'close',
      ...(status === 401 ? { 'www-authenticate': challengeOf({ code } as AppError) } : {}),
      ...(status === 405 ? { allow: 'POST' } : {}),
      ...(retry === undefined ? {} : { 'retry-after': String(retry) }),
    })
    .end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}

/** Requests that run, by wallet. */
class Running {
  readonly #counts = new Map<string, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** @throws AppError RATE_LIMITED. @returns ends it. */
  begin(wallet: string): () => void {
    const count = this.#counts.get(wallet) ?? 0;
    if (count >= this.#most)
      throw new AppError('RATE_LIMITED', 'Too many requests at the same time. Wait for one to end.', {
        data: { retry_after_seconds: 1 },
      });
    this.#counts.set(wallet, count + 1);
    return () => {
      const left = (this.#counts.get(wallet) ?? 1) - 1;
      if (left === 0) this.#counts.delete(wallet);
      else this.#counts.set(wallet, left);
    };
  }
}

async function admit(
  request: IncomingMessage,
  { admit: callerOf, origins, secondsUntilRequest }: McpPorts,
): Promise<Caller> {
  const { origin } = request.headers;
  if (origin !== undefined && !origins.includes(origin))
    throw new AppError('ORIGIN_FORBIDDEN', 'Pages of this origin are not allowed to use this endpoint.');
  const caller = await callerOf(request.headers);
  // There are no sessions, so there is no stream to open and none to end: each request brings its own token.
  if (request.method !== 'POST') throw new AppError('METHOD_NOT_ALLOWED', 'Send messages by POST.');
  const seconds = await secondsUntilRequest(caller.wallet_address);
  if (seconds === 0) return caller;
  throw new AppError('RATE_LIMITED', `Too many requests. Try again in ${seconds} s.`, {
    data: { retry_after_seconds: seconds },
  });
}

/** MCP over streamable HTTP without sessions: any instance answers any request, and a token that was ended ends at once. */
export function mcpHandler(ports: McpPorts): HttpHandler {
  const running = new Running(ports.atOnce);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const caller = await admit(request, ports);
    const end = running.begin(caller.wallet_address);
    try {
      const body = await bodyOf(request);
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
      const server = mcpServer(ports, caller);
      await server.connect(transport as Parameters<typeof server.connect>[0]);
      try {
        await transport.handleRequest(request, response, body);
      } finally {
        await server.close();
      }
    } finally {
      end();
    }
  };
  return async (request, response) => {
    try {
      await answer(request, response);
    } catch (error) {
      const ours = toAppError(error);
      if (ours.code === 'INTERNAL') ports.log.warn('MCP request failed', { error: error as Error });
      refuse(response, ours);
    }
  };
}
