import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export type HttpPort = {
  /** To upgrade connections (websockets) on the same port. */
  readonly server: Server;
  /** @returns the port, for one that was left open. */
  listen(): Promise<number>;
  readonly isListening: boolean;
  /** Takes no new connections, lets requests end, and cuts off what takes too long. */
  close(): Promise<void>;
};

const requestMs = 30_000;
const headersMs = 10_000;
const partingMs = 6_000;

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?')[0] ?? url;

/**
 * The service's HTTP port: one server for all that it speaks besides the bus.
 * @param handlers - By exact path; they answer their own faults.
 */
export function createHttp(
  { host, port }: { host: string; port: number },
  handlers: Readonly<Record<string, HttpHandler>>,
): HttpPort {
  const routes = new Map(Object.entries(handlers));
  const server = createServer({ requestTimeout: requestMs, headersTimeout: headersMs }, (request, response) => {
    const handler = routes.get(pathOf(request));
    if (!handler) {
      response.writeHead(404).end();
      return;
    }
    handler(request, response).catch(() => {
      // A handler that fails in spite of itself leaves no request without an end.
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
  return {
    server,
    get isListening() {
      return server.listening;
    },
    listen: () =>
      new Promise((resolve, reject) => {
        const refuse = (error: NodeJS.ErrnoException) =>
          reject(
            error.code === 'EADDRINUSE'
              ? new Error(`Port ${port} is taken by another program. Set AI_HTTP_PORT to a free one.`)
              : error,
          );
        server.once('error', refuse);
        server.listen(port, host, () => {
          server.off('error', refuse);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    async close() {
      if (!server.listening) return;
      const timer = setTimeout(() => server.closeAllConnections(), partingMs);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
      clearTimeout(timer);
    },
  };
}
