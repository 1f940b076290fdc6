import { fastify } from 'fastify';
import { Registry as PromRegistry, type Registry } from './metrics.ts';

/** One condition of readiness or health; throws or answers false when it does not hold. */
export type Check = () => Promise<boolean> | boolean;

/** The checks behind `/healthz` and `/readyz`. */
export type Health = {
  /** Adds what must hold before work may be sent here. */
  addReadiness(name: string, check: Check): void;
  addLiveness(name: string, check: Check): void;
  /** From now on not ready: the process is stopping. */
  close(): void;
};

type Report = { status: 'ok' | 'failing'; checks: Record<string, 'ok' | 'failing'> };

const checkWithinMs = 2000;

async function reportOf(checks: Map<string, Check>): Promise<Report> {
  const report: Report = { status: 'ok', checks: {} };
  await Promise.all(
    [...checks].map(async ([name, check]) => {
      const late = new Promise<boolean>((resolve) => setTimeout(resolve, checkWithinMs, false).unref());
      const ok = await Promise.race([
        Promise.resolve()
          .then(check)
          .catch(() => false),
        late,
      ]);
      report.checks[name] = ok ? 'ok' : 'failing';
      if (!ok) report.status = 'failing';
    }),
  );
  return report;
}

type Rendered = { type: string; text: string };

/**
 * Renders one scrape at a time: the format is a state of the registry. prom-client 15.1.3 also takes `_total` off its counters
 * for OpenMetrics and leaves them so; their names are put back, or the next scrape in text would show other series.
 */
function renderer(registry: PromRegistry): (openMetrics: boolean) => Promise<Rendered> {
  let last: Promise<unknown> = Promise.resolve();
  const render = async (openMetrics: boolean): Promise<Rendered> => {
    const type = openMetrics ? PromRegistry.OPENMETRICS_CONTENT_TYPE : PromRegistry.PROMETHEUS_CONTENT_TYPE;
    const names = (registry.getMetricsAsArray() as unknown as { name: string }[]).map(
      (metric) => [metric, metric.name] as const,
    );
    registry.setContentType(type as Parameters<typeof registry.setContentType>[0]);
    try {
      return { type, text: await registry.metrics() };
    } finally {
      for (const [metric, name] of names) metric.name = name;
    }
  };
  return (openMetrics) => {
    const rendered = last.then(() => render(openMetrics));
    last = rendered.catch(() => undefined);
    return rendered;
  };
}

/**
 * Serves `/metrics`, `/healthz` and `/readyz` on a port of their own.
 * @throws Error naming the port and the variable that changes it when the port is taken.
 */
export async function startMonitoring(options: { host: string; port: number; registry: Registry }) {
  const ready = new Map<string, Check>();
  const alive = new Map<string, Check>();
  const render = renderer(options.registry);
  const app = fastify({ logger: false, forceCloseConnections: true });
  app.get('/metrics', async (request, reply) => {
    const wantsOpenMetrics = request.headers.accept?.includes('application/openmetrics-text') ?? false;
    const { type, text } = await render(wantsOpenMetrics);
    return reply.type(type).send(text);
  });
  const serve = (path: string, checks: Map<string, Check>) =>
    app.get(path, async (_request, reply) => {
      const report = await reportOf(checks);
      return reply.code(report.status === 'ok' ? 200 : 503).send(report);
    });
  serve('/healthz', alive);
  serve('/readyz', ready);
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${options.port} is taken by another program. Set MONITORING_PORT to a free one.`);
  }
  const health: Health = {
    addReadiness: (name, check) => void ready.set(name, check),
    addLiveness: (name, check) => void alive.set(name, check),
    close: () => void ready.set('running', () => false),
  };
  const { port } = app.server.address() as { port: number };
  return { health, port, stop: () => app.close() };
}
