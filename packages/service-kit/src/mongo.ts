import mongoose, { type Connection } from 'mongoose';
import { Histogram, type Registry, secondsBuckets } from './metrics.ts';

/** A connection of the service's own (never mongoose's global one), with its commands timed. */
export async function connectMongo(options: {
  uri: string;
  database: string;
  registry: Registry;
}): Promise<Connection> {
  const duration = new Histogram({
    name: 'mongo_command_duration_seconds',
    help: 'Time of a command to the document store',
    labelNames: ['command', 'outcome'],
    buckets: secondsBuckets,
    registers: [options.registry],
  });
  const connection = mongoose.createConnection(options.uri, {
    dbName: options.database,
    serverSelectionTimeoutMS: 5000,
    monitorCommands: true,
    autoIndex: false,
    retryWrites: false,
  });
  await connection.asPromise();
  const client = connection.getClient();
  client.on('commandSucceeded', ({ commandName, duration: ms }) =>
    duration.observe({ command: commandName, outcome: 'ok' }, ms / 1000),
  );
  client.on('commandFailed', ({ commandName, duration: ms }) =>
    duration.observe({ command: commandName, outcome: 'error' }, ms / 1000),
  );
  return connection;
}

/** Creates the indexes of every model of the connection; the service is not ready before. */
export async function ensureIndexes(connection: Connection): Promise<void> {
  for (const model of Object.values(connection.models)) await model.createIndexes();
}

export const pingMongo = async (connection: Connection): Promise<boolean> => {
  if (!connection.db) return false;
  await connection.db.command({ ping: 1 });
  return true;
};

/** True for a unique index's refusal. */
export const isDuplicateKey = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 11000;
