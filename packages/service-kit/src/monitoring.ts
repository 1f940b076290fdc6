import { fastify } from 'fastify';
import { Registry as PromRegistry, type Registry } from './metrics.ts';

/** One condition of readiness or health; throws or answers false when it does not hold. */
export type Check = () => Promise<boolean> | boolean;

/** The checks behind `/readyz`. */
export type Health = {
  /**
   * Adds what must hold before work may be sent here.
   * @param part - One of several parts of the work, such as a chain, that the check is about. It is enough that all checks of one part
   * hold: a part that is away must not hold up those that are not. All checks are in the answer.
   */
  addReadiness(name: string, check: Check, part?: string): void;
  /** From now on not ready: the process is stopping. */
  close(): void;
};

type Report = { status: 'ok' | 'failing'; checks: Record<string, 'ok' | 'failing'> };
type Added = { readonly check: Check; readonly part: string | undefined };

const checkWithinMs = 2000;

async function reportOf(checks: Map<string, Added>): Promise<Report> {
  const report: Report = { status: 'ok', checks: {} };
  await Promise.all(
    [...checks].map(async ([name, { check }]) => {
      const late = new Promise<boolean>((resolve) => setTimeout(resolve, checkWithinMs, false).unref());
      const ok = await Promise.race([
        Promise.resolve()
          .then(check)
          .catch(() => false),
        late,
      ]);
      report.checks[name] = ok ? 'ok' : 'failing';
    }),
  );
  const failing = [...checks].filter(([name]) => report.checks[name] === 'failing').map(([, { part }]) => part);
  const parts = new Set([...checks.values()].flatMap(({ part }) => part ?? []));
  const isWithoutPart = parts.size > 0 && [...parts].every((part) => failing.includes(part));
  if (failing.includes(undefined) || isWithoutPart) report.status = 'failing';
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
  const ready = new Map<string, Added>();
  const render = renderer(options.registry);
  const app = fastify({ logger: false, forceCloseConnections: true });
  app.get('/metrics', async (request, reply) => {
    const wantsOpenMetrics = request.headers.accept?.includes('application/openmetrics-text') ?? false;
    const { type, text } = await render(wantsOpenMetrics);
    return reply.type(type).send(text);
  });
  // Its answer is the check: it takes a turn of the event loop, and comes late or never where that is held up. Nothing else belongs here, for
  // a new start mends neither a store nor a bus that is away.
  app.get('/healthz', (_request, reply) => reply.send({ status: 'ok', checks: { event_loop: 'ok' } } satisfies Report));
  app.get('/readyz', async (_request, reply) => {
    const report = await reportOf(ready);
    return reply.code(report.status === 'ok' ? 200 : 503).send(report);
  });
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${options.port} is taken by another program. Set MONITORING_PORT to a free one.`);
  }
  const health: Health = {
    addReadiness: (name, check, part) => void ready.set(name, { check, part }),
    close: () => void ready.set('running', { check: () => false, part: undefined }),
  };
  const { port } = app.server.address() as { port: number };
  return { health, port, stop: () => app.close() };
}
