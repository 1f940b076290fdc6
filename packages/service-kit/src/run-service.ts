import type { DurableEvent, StreamDefinition } from '@castellan/contracts';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { Connection } from 'mongoose';
import { type CallAction, callAction } from './action.ts';
import { createBroker } from './broker.ts';
import type { BaseConfig } from './config.ts';
import { ConfigError } from './config.ts';
import { connectDurable, type DurableBus, defineStreams } from './durable/connection.ts';
import { createOutbox, type Outbox } from './durable/outbox.ts';
import { createLogger, type Logger } from './logger.ts';
import { createRegistry, type Registry } from './metrics.ts';
import { connectMongo, ensureIndexes, pingMongo } from './mongo.ts';
import { type Health, startMonitoring } from './monitoring.ts';
import { rememberSecret } from './secret.ts';

/** What the kit hands to a service's composition. */
export type ServiceContext = {
  readonly log: Logger;
  readonly registry: Registry;
  readonly health: Health;
  readonly broker: ServiceBroker;
  readonly callAction: CallAction;
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

export type ServiceDefinition = {
  name: string;
  config: BaseConfig;
  /** Streams the service publishes to or reads; made when it starts. */
  streams?: readonly StreamDefinition[];
  /** Events it publishes through its outbox. */
  publishes?: readonly DurableEvent[];
  /** false for a service without a database. */
  mongo?: boolean;
  build: (context: ServiceContext) => Promise<ServiceParts> | ServiceParts;
};

export type RunningService = {
  broker: ServiceBroker;
  context: ServiceContext;
  monitoringPort: number;
  stop(): Promise<void>;
};

const noOutbox: Outbox = {
  add: () => Promise.reject(new Error('This service has no database, so it has no outbox.')),
  flush: () => Promise.resolve(0),
  start: () => undefined,
  stop: () => Promise.resolve(),
};

/**
 * Starts a service without touching the process: monitoring first (so that a slow start can be watched), then the
 * database, the streams, the service's own start, and last the bus.
 */
export async function startService(definition: ServiceDefinition): Promise<RunningService> {
  const { name, config, streams = [], publishes = [] } = definition;
  rememberSecret(new URL(config.nats.url.replace('inprocess:', 'inprocess://')).password);
  const log = createLogger({ service: name, level: config.logLevel });
  const registry = createRegistry(name);
  const monitoring = await startMonitoring({ ...config.monitoring, registry });
  let started = false;
  monitoring.health.addReadiness('started', () => started);
  const undo: (() => Promise<unknown>)[] = [() => monitoring.stop()];
  const stop = async () => {
    monitoring.health.close();
    for (const step of undo.reverse())
      await step().catch((error: Error) => log.error('shutdown step failed', { error }));
  };
  try {
    const mongo = await openMongo(definition, registry, monitoring.health, undo);
    const durable = await openDurable(definition, log, monitoring.health, undo);
    if (durable) await defineStreams(durable, streams);
    const outbox =
      mongo && durable && publishes.length > 0
        ? createOutbox({ connection: mongo, bus: durable, events: publishes, log, now: Date.now })
        : noOutbox;
    undo.push(() => outbox.stop());
    const broker = createBroker({ service: name, nats: config.nats, registry, log });
    const context = {
      log,
      registry,
      health: monitoring.health,
      broker,
      callAction: ((action, params, options) => callAction(broker, action, params, options)) as CallAction,
      mongo: mongo as Connection,
      durable: durable as DurableBus,
      outbox,
    };
    const parts = await definition.build(context);
    if (mongo) await ensureIndexes(mongo);
    for (const schema of parts.schemas ?? []) broker.createService(schema);
    if (parts.stop) undo.push(parts.stop);
    await parts.start?.();
    undo.push(() => broker.stop());
    await broker.start();
    if (parts.drain) undo.push(parts.drain);
    outbox.start();
    started = true;
    log.info('service started', { monitoringPort: monitoring.port });
    return { broker, context, monitoringPort: monitoring.port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openMongo(
  { config, mongo }: ServiceDefinition,
  registry: Registry,
  health: Health,
  undo: (() => Promise<unknown>)[],
) {
  if (mongo === false) return undefined;
  const connection = await connectMongo({ ...config.mongo, registry });
  undo.push(() => connection.close());
  health.addReadiness('database', () => pingMongo(connection));
  return connection;
}

async function openDurable(
  { name, config }: ServiceDefinition,
  log: Logger,
  health: Health,
  undo: (() => Promise<unknown>)[],
) {
  if (config.nats.url === 'inprocess:') return undefined;
  const bus = await connectDurable({ ...config.nats, service: name, log });
  undo.push(() => bus.nats.drain());
  health.addReadiness('bus', async () => (await bus.nats.rtt()) >= 0);
  return bus;
}

/**
 * Runs a service as a process: faults of the configuration are printed together and end it with 2; SIGTERM and SIGINT stop
 * it in order within the grace period, a second one at once; an unforeseen error ends it with 1.
 */
export async function runService(load: () => ServiceDefinition): Promise<void> {
  let definition: ServiceDefinition;
  try {
    definition = load();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
  const log = createLogger({ service: definition.name, level: definition.config.logLevel });
  let stopping = false;
  let running: RunningService | undefined;
  const stop = (code: number) => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => {
      log.error('shutdown took too long', { graceSeconds: definition.config.shutdownGraceSeconds });
      process.exit(1);
    }, definition.config.shutdownGraceSeconds * 1000).unref();
    void (running?.stop() ?? Promise.resolve()).then(() => process.exit(code));
  };
  process.on('SIGTERM', () => stop(0));
  process.on('SIGINT', () => stop(0));
  process.on('unhandledRejection', (error) => {
    log.error('unhandled rejection', { error: error as Error });
    stop(1);
  });
  process.on('uncaughtException', (error) => {
    log.error('uncaught exception', { error });
    stop(1);
  });
  try {
    running = await startService(definition);
  } catch (error) {
    log.error('service could not start', { error: error as Error });
    process.exit(1);
  }
}
