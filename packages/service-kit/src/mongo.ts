import mongoose, { type Connection, type ConnectOptions } from 'mongoose';
import type { Logger } from './logger.ts';
import { Histogram, type Registry, secondsBuckets } from './metrics.ts';
import { type MongoClient, onStoreCommand, serversOf } from './mongo-commands.ts';

const defaultWaitMs = 5000;
/**
 * Far longer than any command takes: a reply that never comes would hold up its loop, which keeps its lease, for ever. An index
 * that takes longer to build is waited for by asking again.
 */
const defaultReplyMs = 60_000;
const lateCheckMs = 1000;

/** How a service connects to the document store. What the URI says of pool and times comes first. */
export type MongoOptions = {
  uri: string;
  database: string;
  registry: Registry;
  /** Given, the connection is tried until the store answers, logging each failure; else the first failure is thrown. */
  log?: Logger;
  /** Connections at most; 100 by default. */
  maxConnections?: number | undefined;
  /** How long a command waits for a store that is away, or for a connection; 5 s by default. */
  waitMs?: number | undefined;
  /** How long a reply may take before the connection counts as stuck; 60 s by default. */
  replyMs?: number | undefined;
};

/**
 * A connection of the service's own (never mongoose's global one), with its commands timed.
 * @throws when the store refuses (credentials), or, without `log`, when it does not answer.
 */
export async function connectMongo(options: MongoOptions): Promise<Connection> {
  const { registry } = options;
  const connection = await connectPatiently(options);
  const duration = new Histogram({
    name: 'mongo_command_duration_seconds',
    help: 'Time of a command to the document store',
    labelNames: ['command', 'outcome'],
    buckets: secondsBuckets,
    registers: [registry],
  });
  onStoreCommand(connection, ({ name, outcome, durationMs }) =>
    duration.observe({ command: name, outcome }, durationMs / 1000),
  );
  const client = connection.getClient();
  releaseHungChecks(client);
  stopPoolChecks(client);
  return connection;
}

/**
 * Stops the check of pools for connections to open or to close. mongodb 7.8.0 makes it ten times a second, which is 0.1 % of a core;
 * where no least number of connections is asked for, all it does is done again when a connection is taken from the pool.
 */
function stopPoolChecks(client: MongoClient): void {
  const stop = () => {
    for (const { pool } of serversOf(client).values())
      if (pool?.options.minPoolSize === 0) clearTimeout(pool.minPoolSizeTimer);
  };
  stop();
  // The timer begins right after the event.
  client.on('connectionPoolReady', () => queueMicrotask(stop));
}

/**
 * Ends checks of the server that would never end, after which the client would never learn that the server is back.
 *
 * mongodb 7.8.0: when a server goes, its connections close in one turn of the event loop. If one with a command in flight is
 * notified first, the driver checks the server at once on a connection whose socket is destroyed and not yet notified, and the write
 * waits for a `drain` that no socket sends any more. Only servers that are polled are concerned, as the embedded store is.
 */
function releaseHungChecks(client: MongoClient): void {
  const late = new Map<string, NodeJS.Timeout>();
  const ended = ({ connectionId: address }: { connectionId: string }) => clearTimeout(late.get(address));
  client.on('serverHeartbeatStarted', (check) => {
    ended(check);
    const release = () => {
      const connection = serversOf(client).get(check.connectionId)?.monitor?.connection;
      if (connection?.closed) connection.socket.emit('drain');
    };
    late.set(check.connectionId, setTimeout(release, lateCheckMs).unref());
  });
  client.on('serverHeartbeatSucceeded', ended);
  client.on('serverHeartbeatFailed', ended);
}

async function connectPatiently(options: MongoOptions): Promise<Connection> {
  const { uri, database, log, maxConnections = 100, waitMs = defaultWaitMs, replyMs = defaultReplyMs } = options;
  const wanted: ConnectOptions = {
    dbName: database,
    autoIndex: false,
    // On a replica set a write counts once most members have it; a single server takes this as "itself".
    w: 'majority',
    journal: true,
  };
  const unlessInUri = {
    serverSelectionTimeoutMS: waitMs,
    waitQueueTimeoutMS: waitMs,
    socketTimeoutMS: replyMs,
    maxPoolSize: maxConnections,
  };
  for (const [name, value] of Object.entries(unlessInUri))
    if (!new RegExp(`[?&]${name}=`, 'i').test(uri)) Object.assign(wanted, { [name]: value });
  for (;;) {
    const connection = mongoose.createConnection(uri, wanted);
    try {
      return await connection.asPromise();
    } catch (error) {
      await connection.close();
      const isAway = error instanceof Error && error.name.endsWith('ServerSelectionError');
      if (!log || !isAway) throw error;
      log.warn('document store does not answer yet', { error });
    }
  }
}

/** Creates the collection of every model of the connection, and its indexes; the service is not ready before. */
export async function ensureIndexes(connection: Connection): Promise<void> {
  for (const model of Object.values(connection.models)) {
    // Not every store makes a collection in a transaction.
    await model.createCollection();
    await model.createIndexes();
  }
}

/** True when the store answers. @throws the driver's error when it does not. */
export const pingMongo = async (connection: Connection): Promise<boolean> => {
  if (!connection.db) return false;
  await connection.db.command({ ping: 1 });
  return true;
};

/** True for a unique index's refusal. */
export const isDuplicateKey = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 11000;
