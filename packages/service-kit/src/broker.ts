import { randomUUID } from 'node:crypto';
import { errorCodeOf } from '@castellan/contracts';
import * as moleculer from 'moleculer';
import { type BrokerOptions, type Context, type Middleware, ServiceBroker } from 'moleculer';
import { BusTransporter, refusalReasons } from './bus-transporter.ts';
import { bindDeadNodes } from './dead-nodes.ts';
import { ErrorsOnBus } from './errors-on-bus.ts';
import { givenUpMiddleware, isTooOld } from './given-up.ts';
import type { Identity } from './identity/identity.ts';
import { bindIdentity, identityMiddleware } from './identity/on-bus.ts';
import { isInfrastructureFault, isTransportFault } from './infrastructure-fault.ts';
import type { Logger } from './logger.ts';
import { LostCalls } from './lost-calls.ts';
import { Counter, Histogram, type Registry, secondsBuckets } from './metrics.ts';
import { currentRequestId, requestIdHeader, withRequestId } from './request-context.ts';
import { inSpan, SpanKind, traceHeaders } from './tracing/span.ts';

/** Exported, and missing from the types. */
const { Middlewares } = moleculer as unknown as {
  Middlewares: { Transmit: { Compression(options: { method: string; threshold: string }): Middleware } };
};

type Headers = Record<string, string>;

/** Writes trace and request id into the headers of every call, and takes them up where the call arrives. */
const contextMiddleware: Middleware = {
  name: 'Context',
  remoteAction:
    (next: (ctx: Context) => Promise<unknown>, action: { name: string }) =>
    (ctx: Context): Promise<unknown> =>
      inSpan(`call ${action.name}`, { kind: SpanKind.CLIENT }, () => {
        const requestId = currentRequestId();
        ctx.headers = {
          ...(ctx.headers as Headers),
          ...traceHeaders(),
          ...(requestId ? { [requestIdHeader]: requestId } : {}),
        };
        return next(ctx);
      }),
  localAction:
    (next: (ctx: Context) => Promise<unknown>, action: { name: string }) =>
    (ctx: Context): Promise<unknown> => {
      const headers = (ctx.headers ?? {}) as Headers;
      const remote = headers.traceparent !== undefined;
      const kind = remote ? SpanKind.SERVER : SpanKind.INTERNAL;
      const requestId = headers[requestIdHeader] ?? currentRequestId();
      const run = () => inSpan(`action ${action.name}`, { kind, from: headers }, () => next(ctx));
      return requestId ? withRequestId(requestId, run) : run();
    },
} as unknown as Middleware;

/** Times every action served here and logs what failed without being one of our errors. */
const outcomeMiddleware = (registry: Registry, log: Logger): Middleware => {
  const duration = new Histogram({
    name: 'action_duration_seconds',
    help: 'Time from the arrival of a call to its answer',
    labelNames: ['action', 'outcome'],
    buckets: secondsBuckets,
    registers: [registry],
  });
  const failures = new Counter({
    name: 'action_failures_total',
    help: 'Calls that failed by a fault of ours',
    labelNames: ['action'],
    registers: [registry],
  });
  return {
    name: 'Outcome',
    localAction: (next: (ctx: Context) => Promise<unknown>, action: { name: string }) => {
      // An increase is only seen of a series that was there before the first failure.
      failures.inc({ action: action.name }, 0);
      return async (ctx: Context) => {
        const stop = duration.startTimer({ action: action.name });
        try {
          const result = await next(ctx);
          stop({ outcome: 'ok' });
          return result;
        } catch (error) {
          const code = errorCodeOf(error) ?? (isInfrastructureFault(error) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL');
          stop({ outcome: code });
          if (code === 'INTERNAL') {
            failures.inc({ action: action.name });
            log.error('action failed', { action: action.name, error: error as Error });
          }
          throw error;
        }
      };
    },
  } as unknown as Middleware;
};

/** What a broker needs of its service. */
export type BrokerSettings = {
  service: string;
  nats: { url: string; namespace: string };
  registry: Registry;
  log: Logger;
  /** How its calls are proven, and those it takes. */
  identity: Identity;
  requestTimeoutMs?: number;
  /** How long stopping waits for calls in progress. */
  drainTimeoutMs?: number;
  middlewares?: Middleware[];
};

/** Its series begin at 0, for an increase is only seen of what was there before. */
function refusalCounter(registry: Registry) {
  const refused = new Counter({
    name: 'bus_packets_refused_total',
    help: 'Packets of the bus that contradicted their subject, and subscriptions that the server refused',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of refusalReasons) refused.inc({ reason }, 0);
  return refused;
}

/**
 * Only what surely never ran is sent again. A timed out call, or one whose node went away (REQUEST_REJECTED), may have run:
 * repeating it is the caller's decision.
 */
const neverRan = (error: unknown) =>
  ['SERVICE_NOT_AVAILABLE', 'QUEUE_FULL'].includes(String((error as { type?: unknown }).type));

/**
 * A broker on NATS. `inprocess:` as URL is for unit tests only: every broker of the process shares one bus, with the real
 * serializer. A call times out after `requestTimeoutMs` and its circuit opens when half of at least 20 calls in 30 s failed
 * in transport. An error of the action itself never opens it: one caller who finds a bug would close the action for all.
 */
export function createBroker({
  service,
  nats,
  registry,
  log,
  identity,
  requestTimeoutMs = 5000,
  drainTimeoutMs = 10_000,
  middlewares = [],
}: BrokerSettings): ServiceBroker {
  const refused = refusalCounter(registry);
  const transporter =
    nats.url === 'inprocess:'
      ? undefined
      : new BusTransporter(nats.url, (reason, subject) => {
          refused.inc({ reason });
          log.warn('bus packet refused', { reason, subject });
        });
  const options: BrokerOptions = {
    namespace: nats.namespace,
    nodeID: `${service}-${randomUUID().slice(0, 8)}`,
    transporter: (transporter ?? 'Fake') as Exclude<BrokerOptions['transporter'], undefined>,
    serializer: 'JSON',
    requestTimeout: requestTimeoutMs,
    retryPolicy: { enabled: true, retries: 2, delay: 100, maxDelay: 500, factor: 2, check: neverRan },
    circuitBreaker: {
      enabled: true,
      threshold: 0.5,
      minRequestCount: 20,
      windowTime: 30,
      halfOpenTime: 5000,
      check: (error) => isTransportFault(error) && !isTooOld(error),
    },
    // Others learn of a service when it has started, not a second later: by then this process says that it is ready, and a rolling
    // update stops the instance before it.
    transit: { serviceChangedDebounceTime: 0 } as Exclude<BrokerOptions['transit'], undefined>,
    heartbeatInterval: 2,
    heartbeatTimeout: 6,
    contextParamsCloning: false,
    skipProcessEventRegistration: true,
    // `$node.options` would show every node of the bus how this one connects, with its password.
    internalServices: false,
    tracking: { enabled: true, shutdownTimeout: drainTimeoutMs },
    errorRegenerator: new ErrorsOnBus(),
    // NATS refuses messages above 1 MiB; answers with receipts are larger and nearly all repetition.
    middlewares: [
      Middlewares.Transmit.Compression({ method: 'deflate', threshold: '256kb' }),
      contextMiddleware,
      outcomeMiddleware(registry, log),
      givenUpMiddleware(Date.now, log),
      identityMiddleware(identity, log),
      ...middlewares,
    ],
    logger: false,
    metrics: false,
    tracing: false,
  };
  const broker = new ServiceBroker(options);
  // Three looks at all processors with each heartbeat, for a strategy of balancing that is not used here.
  broker.getCpuUsage = async () => ({ avg: 0 });
  bindIdentity(broker, identity);
  bindDeadNodes(broker, log);
  if (transporter) new LostCalls(broker, log, requestTimeoutMs).watch(transporter);
  return broker;
}
