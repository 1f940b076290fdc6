import { setTimeout as sleep } from 'node:timers/promises';
import type { DurableEvent, ServiceName, StreamDefinition } from '@castellan/contracts';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { Connection } from 'mongoose';
import { type CallAction, callAction } from './action.ts';
import { createBroker } from './broker.ts';
import { thisBuild } from './build-info.ts';
import type { BaseConfig } from './config.ts';
import { ConfigError, requireIdentity } from './config.ts';
import { connectDurable, type DurableBus, defineStreams } from './durable/connection.ts';
import { createOutbox, type Outbox } from './durable/outbox.ts';
import { createIdentity, type Identity } from './identity/identity.ts';
import { createLogger, type Logger } from './logger.ts';
import { createRegistry, type Registry } from './metrics.ts';
import { migrateAgainLater, migrateCollections } from './migrations.ts';
import { connectMongo, ensureIndexes, pingMongo } from './mongo.ts';
import { type Health, startMonitoring } from './monitoring.ts';
import { untilAvailable } from './patience.ts';
import { busPeersOf, type Peer, storePeersOf, watchCertificates } from './peer-certificates.ts';
import { requireWholeDatabase } from './restores.ts';
import { rememberSecret } from './secret.ts';
import { Shutdown, within } from './shutdown.ts';
import { activeTracing, startTracing } from './tracing/provider.ts';
import { requireTransactions } from './transaction.ts';

/** What the kit hands to a service's composition. */
export type ServiceContext = {
  readonly log: Logger;
  readonly registry: Registry;
  readonly health: Health;
  readonly broker: ServiceBroker;
  readonly callAction: CallAction;
  readonly identity: Identity;
  /** The service's own database; absent when the service declared `mongo: false`. */
  readonly mongo: Connection;
  readonly durable: DurableBus;
  /** Publishes the events the service declared; absent without a database. */
  readonly outbox: Outbox;
};

/** What a service is made of. `start` runs before the first call can arrive, `stop` after the last was answered. */
export type ServiceParts = {
  schemas?: readonly ServiceSchema[];
  start?: () => Promise<void>;
  /** Runs first of all at shutdown: take no new work (close sockets and streams). */
  drain?: () => Promise<void>;
  stop?: () => Promise<void>;
};

/** What a service is made of; the kit starts it. */
export type ServiceDefinition = {
  name: ServiceName;
  config: BaseConfig;
  /** Streams the service publishes to or reads; made when it starts. */
  streams?: readonly StreamDefinition[];
  /** Events it publishes through its outbox. */
  publishes?: readonly DurableEvent[];
  /** How often an empty outbox is read: more often where another process stores events in it. Milliseconds. */
  outboxSweepMs?: number;
  /** false for a service without a database. */
  mongo?: boolean;
  build: (context: ServiceContext) => Promise<ServiceParts> | ServiceParts;
};

/** A started service. `stop` resolves once all is closed, and never rejects. */
export type RunningService = {
  broker: ServiceBroker;
  context: ServiceContext;
  monitoringPort: number;
  stop(): Promise<void>;
};

const quickMs = 2000;
const connectedWithinMs = 500;

const refuseOutbox = () =>
  Promise.reject(new Error('This service declares no `publishes`, or has no database or bus: no outbox.'));
const noOutbox: Outbox = {
  recordWith: refuseOutbox,
  add: refuseOutbox,
  publish: refuseOutbox,
  flush: () => Promise.resolve(0),
  start: () => undefined,
  stop: () => Promise.resolve(),
};

/**
 * Starts a service without touching the process: monitoring first (so that a slow start can be watched), then the
 * database, the streams, the service's own start, and last the bus.
 */
export async function startService(definition: ServiceDefinition): Promise<RunningService> {
  const { name, config, streams = [], publishes = [], outboxSweepMs: sweepMs } = definition;
  rememberSecret(config.nats.url);
  rememberSecret(config.mongo.uri);
  const log = createLogger({ service: name, level: config.logLevel });
  log.info('service starts', thisBuild);
  const registry = createRegistry(name);
  const monitoring = await startMonitoring({ ...config.monitoring, registry });
  let started = false;
  monitoring.health.addReadiness('started', () => started);
  const shutdown = new Shutdown(log, config.shutdownGraceSeconds * 1000);
  shutdown.add('monitoring', () => monitoring.stop(), quickMs);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    monitoring.health.close();
    stopped ??= shutdown.run();
    return stopped;
  };
  try {
    const mongo = await openMongo(definition, log, registry, monitoring.health, shutdown);
    const durable = await openDurable(definition, log, registry, monitoring.health, shutdown);
    const certificates = watchCertificates({ registry, log, peers: () => peersOf(config, mongo) });
    shutdown.add('certificates', () => certificates.stop());
    if (durable) await defineStreams(durable, streams);
    const outbox =
      mongo && durable && publishes.length > 0
        ? createOutbox({
            connection: mongo,
            bus: durable,
            events: publishes,
            log,
            now: Date.now,
            ...(sweepMs && { sweepMs }),
          })
        : noOutbox;
    shutdown.add('outbox', () => outbox.stop());
    const drainTimeoutMs = config.shutdownGraceSeconds * 600;
    const identity = createIdentity(name, requireIdentity(config, name));
    const broker = createBroker({ service: name, nats: config.nats, registry, log, identity, drainTimeoutMs });
    const context = {
      log,
      registry,
      health: monitoring.health,
      broker,
      identity,
      callAction: ((action, params, options) => callAction(broker, action, params, options)) as CallAction,
      mongo: mongo as Connection,
      durable: durable as DurableBus,
      outbox,
    };
    if (mongo) await untilAvailable('could not read the database yet', log, () => requireWholeDatabase(mongo));
    const parts = await definition.build(context);
    if (mongo) await migrate(mongo, log, shutdown);
    if (mongo) await untilAvailable('could not create the indexes yet', log, () => ensureIndexes(mongo));
    if (mongo && outbox !== noOutbox)
      await untilAvailable('could not begin a transaction yet', log, () => requireTransactions(mongo));
    for (const schema of parts.schemas ?? []) broker.createService(schema);
    if (parts.stop) shutdown.add('service stop', parts.stop);
    shutdown.add('bus', () => stopBroker(broker, durable));
    // Known before start: what a start that fails half-way began must end too.
    if (parts.drain) shutdown.add('service drain', parts.drain);
    await parts.start?.();
    await broker.start();
    outbox.start();
    started = true;
    log.info('service started', { monitoringPort: monitoring.port });
    return { broker, context, monitoringPort: monitoring.port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const peersOf = ({ nats }: BaseConfig, mongo: Connection | undefined): Peer[] => [
  ...busPeersOf(nats.url),
  ...(mongo ? storePeersOf(mongo) : []),
];

async function migrate(mongo: Connection, log: Logger, shutdown: Shutdown): Promise<void> {
  const isRecent = await untilAvailable('could not migrate collections yet', log, () => migrateCollections(mongo, log));
  if (isRecent) shutdown.add('migrations', migrateAgainLater(mongo, log));
}

async function openMongo(
  { config, mongo }: ServiceDefinition,
  log: Logger,
  registry: Registry,
  health: Health,
  shutdown: Shutdown,
) {
  if (mongo === false) return undefined;
  const connection = await connectMongo({ ...config.mongo, registry, log });
  shutdown.add('database', () => connection.close(), quickMs);
  health.addReadiness('database', () => pingMongo(connection));
  return connection;
}

async function openDurable(
  { name, config }: ServiceDefinition,
  log: Logger,
  registry: Registry,
  health: Health,
  shutdown: Shutdown,
) {
  if (config.nats.url === 'inprocess:') return undefined;
  const bus = await connectDurable({ ...config.nats, service: name, log, registry });
  // Draining waits for the server; without one there is nothing to wait for.
  shutdown.add('durable events', async () => ((await isConnected(bus)) ? bus.nats.drain() : bus.nats.close()), quickMs);
  health.addReadiness('bus', async () => (await bus.nats.rtt()) >= 0);
  return bus;
}

const isConnected = (bus: DurableBus): Promise<boolean> =>
  within(connectedWithinMs, bus.nats.rtt()).then(
    () => true,
    () => false,
  );

/** moleculer flushes its connection before it closes it, which never ends while the server is away. */
async function stopBroker(broker: ServiceBroker, durable: DurableBus | undefined): Promise<void> {
  if (!durable || (await isConnected(durable))) return broker.stop();
  await within(quickMs, broker.stop());
}

/**
 * Runs a service as a process: faults of the configuration are printed together and end it with 2; SIGTERM and SIGINT stop
 * it in order within the grace period, a second one at once; an unforeseen error ends it with 1.
 */
export async function runService(load: () => ServiceDefinition): Promise<void> {
  let definition: ServiceDefinition;
  try {
    definition = load();
    requireIdentity(definition.config, definition.name);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
  const { name, config } = definition;
  const log = createLogger({ service: name, level: config.logLevel });
  // Loaded by `--import` it has also patched the libraries; without that, ids exist all the same.
  const tracing = activeTracing() ?? (await startTracing({ service: name, ...config.tracing }));
  let running: RunningService | undefined;
  let stopping = false;
  /** The wait between the end of readiness and the shutdown, while it lasts. */
  let waiting: AbortController | undefined;
  let exitCode = 0;
  const stop = (code: number, waitMs = 0) => {
    if (waiting && code !== 0) {
      exitCode = code;
      waiting.abort();
    }
    if (stopping) return;
    stopping = true;
    exitCode = code;
    waiting = new AbortController();
    running?.context.health.close();
    setTimeout(
      () => {
        log.error('shutdown took too long', { graceSeconds: config.shutdownGraceSeconds });
        process.exit(1);
      },
      waitMs + config.shutdownGraceSeconds * 1000,
    );
    const flushed = () => within(quickMs, tracing.stop()).catch(() => log.warn('spans were not delivered'));
    void sleep(waitMs, undefined, { signal: waiting.signal })
      .catch(() => undefined)
      .then(() => {
        waiting = undefined;
        return running?.stop();
      })
      .then(flushed)
      .then(() => process.exit(exitCode));
  };
  const onSignal = (signal: string) => {
    if (stopping) process.exit(1);
    log.info('service stops', { signal });
    stop(0, running ? (config.shutdownWaitSeconds ?? 0) * 1000 : 0);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('unhandledRejection', (error) => {
    log.error('unhandled rejection', { error });
    stop(1);
  });
  process.on('uncaughtException', (error) => {
    log.error('uncaught exception', { error });
    stop(1);
  });
  try {
    running = await startService(definition);
  } catch (error) {
    log.error('service could not start', { error });
    process.exit(1);
  }
}
