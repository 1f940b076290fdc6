import { fastify } from 'fastify';
import { Registry as PromRegistry, type Registry } from './metrics.ts';

/** One condition of readiness or health; throws or answers false when it does not hold. */
export type Check = () => Promise<boolean> | boolean;

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

/**
 * Serves `/metrics`, `/healthz` and `/readyz` on a port of their own.
 * @throws Error naming the port and the variable that changes it when the port is taken.
 */
export async function startMonitoring(options: { host: string; port: number; registry: Registry }) {
  const ready = new Map<string, Check>();
  const alive = new Map<string, Check>();
  const app = fastify({ logger: false, forceCloseConnections: true });
  app.get('/metrics', async (request, reply) => {
    const wantsOpenMetrics = request.headers.accept?.includes('application/openmetrics-text') ?? false;
    const type = wantsOpenMetrics ? PromRegistry.OPENMETRICS_CONTENT_TYPE : PromRegistry.PROMETHEUS_CONTENT_TYPE;
    const registry = options.registry as PromRegistry;
    registry.setContentType(type as Parameters<typeof registry.setContentType>[0]);
    return reply.type(type).send(await registry.metrics());
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
