import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came. */
export type Asked = { method: string; path: string; headers: IncomingHttpHeaders; body: string };
/** What is answered; a text as it is, an object as JSON. */
export type Answered = { status: number; body: string | object; headers?: Record<string, string> };

/** A running server. */
export type KeyService = {
  url: string;
  /** Every request, in order. */
  asked: Asked[];
  /** Taken for the next requests, one each, in the place of the protocol's answers. `silence`: none is ever given. */
  next: (Answered | 'silence')[];
  close(): Promise<void>;
};

/** An HTTP server that answers as a key service does. What a protocol does not know is answered with 501. */
export async function keyService(protocol: (asked: Asked) => Promise<Answered | undefined>): Promise<KeyService> {
  const asked: Asked[] = [];
  const next: KeyService['next'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const one = { method, path, headers, body: Buffer.concat(chunks).toString() };
    asked.push(one);
    const answer = next.shift() ?? (await protocol(one)) ?? { status: 501, body: 'not of this protocol' };
    if (answer === 'silence') return;
    const isText = typeof answer.body === 'string';
    response.writeHead(answer.status, {
      'content-type': isText ? 'text/plain' : 'application/json',
      ...answer.headers,
    });
    response.end(isText ? answer.body : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    next,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
