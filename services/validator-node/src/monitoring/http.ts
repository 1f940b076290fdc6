import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from '@castellan/service-kit';

type Answer = { status: number; type: string; body: string };
type Route = () => Promise<Answer> | Answer;

const json = (status: number, body: unknown): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: `${JSON.stringify(body)}\n`,
});

async function answer(routes: Readonly<Record<string, Route>>, request: IncomingMessage): Promise<Answer> {
  const route = routes[(request.url ?? '/').split('?')[0] as string];
  if (!route) return json(404, { status: 'not_found', paths: Object.keys(routes) });
  if (request.method !== 'GET' && request.method !== 'HEAD') return json(405, { status: 'method_not_allowed' });
  try {
    return await route();
  } catch {
    return json(500, { status: 'error' }); // What went wrong may hold a URL with a password.
  }
}

function send(request: IncomingMessage, response: ServerResponse, { status, type, body }: Answer) {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

export type Listening = { port: number; stop(): Promise<void> };

/** @throws Error naming the port and the key that changes it when the port is taken. */
async function listen(routes: Readonly<Record<string, Route>>, where: { host: string; port: number; key: string }) {
  const server: Server = createServer((request, response) => {
    void answer(routes, request).then((result) => send(request, response, result));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Port ${where.port} is taken by another program. Set ${where.key} to a free one.`)
          : error,
      ),
    );
    server.listen(where.port, where.host, resolve);
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, stop };
}

/** Serves `/metrics`. Scrapes that come while one is rendered share its text. */
export function serveMetrics(options: { host: string; port: number; registry: Registry }): Promise<Listening> {
  const { registry } = options;
  let rendering: Promise<string> | undefined;
  const metrics = async (): Promise<Answer> => {
    rendering ??= registry.metrics().finally(() => {
      rendering = undefined;
    });
    return { status: 200, type: registry.contentType, body: await rendering };
  };
  return listen({ '/metrics': metrics }, { ...options, key: 'monitoring.metrics_port' });
}

/** Serves `/healthz` and `/readyz`, which ask the same today. */
export function serveHealth(options: {
  host: string;
  port: number;
  report: () => Promise<HealthReport>;
}): Promise<Listening> {
  const health = async (): Promise<Answer> => {
    const report = await options.report();
    return json(report.status === 'ok' ? 200 : 503, report);
  };
  return listen({ '/healthz': health, '/readyz': health }, { ...options, key: 'monitoring.health_port' });
}

export type HealthReport = { status: 'ok' | 'failing'; checks: Record<string, 'ok' | 'failing'> };
