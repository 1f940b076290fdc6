import { type StoreUser, Users } from './auth/users.ts';
import { Access } from './commands/access.ts';
import { Cursors } from './commands/cursors.ts';
import { commands, dispatcher } from './commands/dispatch.ts';
import { Sessions } from './commands/sessions.ts';
import { Engine } from './engine/engine.ts';
import { MemoryBudget } from './engine/memory-budget.ts';
import { retriedWithReserve } from './engine/reserve.ts';
import { deleteExpired } from './engine/ttl.ts';
import { type Log, listen } from './wire/server.ts';

/** Where a store listens and keeps its data. */
export type DocumentStoreOptions = {
  /** Default 127.0.0.1: passwords are proved without being sent, but nothing else is hidden on the way. */
  host?: string;
  /** TCP port; 0 takes a free one. Default 27017. */
  port?: number;
  /** Directory of the data; made when missing, used by one process at a time. */
  dataDir: string;
  /** Milliseconds since the epoch. Default `Date.now`. */
  clock?: () => number;
  /** How often expired documents are deleted, in milliseconds. Default 60 000, as in MongoDB. */
  ttlIntervalMs?: number;
  /** Bytes that all open cursors and running sorts may keep in memory together. Default 512 MiB. */
  maxResultBytes?: number;
  /** How long a transaction may be open, in milliseconds. Default 60 000, as in MongoDB. */
  transactionLifetimeMs?: number;
  /** Who may use which databases; without users everybody may use all. */
  users?: readonly StoreUser[];
  log?: Log;
};

/** A running store. `expire` runs the deletion of expired documents at once and gives their number. */
export type DocumentStore = { uri: string; host: string; port: number; expire(): number; stop(): Promise<void> };

const silent: Log = () => undefined;

async function deleteAndSettle(engine: Engine): Promise<number> {
  const { storage } = engine;
  try {
    const deleted = deleteExpired(engine);
    await storage.settled(false);
    return deleted;
  } catch (error) {
    storage.abort(error as Error);
    throw error;
  }
}

/** Deletes what has expired, on a full disk too; a sweep that fails leaves its work to the next. */
async function sweepExpired(engine: Engine, log: Log): Promise<void> {
  const again = (): Promise<number> => deleteAndSettle(engine);
  try {
    const deleted = await retriedWithReserve(engine.storage, again(), again);
    if (deleted > 0) log('expired documents deleted', { count: deleted });
    engine.storage.keepReserve();
  } catch (error) {
    log('expired documents not deleted', { reason: error instanceof Error ? error.message : String(error) });
  }
}

/**
 * Starts a document store that speaks MongoDB's wire protocol.
 * @throws {Error} when the port is taken or the data directory is in use.
 */
export async function startDocumentStore(options: DocumentStoreOptions): Promise<DocumentStore> {
  const { host = '127.0.0.1', port = 27017, dataDir, clock = Date.now, ttlIntervalMs = 60_000, log = silent } = options;
  const { maxResultBytes = 512 * 1024 * 1024, transactionLifetimeMs = 60_000, users } = options;
  const budget = new MemoryBudget(maxResultBytes);
  const engine = new Engine(dataDir, clock, Math.random, budget);
  const cursors = new Cursors(clock, Math.random, budget);
  let open = () => 0;
  const { transactions } = engine;
  const access = new Access(users && new Users(users), log);
  const sessions = new Sessions({ transactions, cursors, clock, lifetimeMs: transactionLifetimeMs });
  const handle = dispatcher({ engine, cursors, sessions, access, log, connections: () => open() });
  const closed = (connectionId: number): void => {
    sessions.connectionClosed(connectionId);
    access.connectionClosed(connectionId);
  };
  const server = await listen(host, port, { handle, closed }, log).catch((error: unknown) => {
    engine.close();
    throw error;
  });
  open = server.connections;
  const sweep = setInterval(() => {
    cursors.expire();
    sessions.expire();
    void sweepExpired(engine, log);
  }, ttlIntervalMs).unref();
  log('document store ready: one machine only, no replication', {
    host,
    port: server.port,
    dataDir,
    commands: commands.size,
    users: users?.length ?? 0,
  });
  const stop = async (): Promise<void> => {
    clearInterval(sweep);
    await server.close();
    engine.close();
  };
  return {
    uri: `mongodb://${host}:${server.port}`,
    host,
    port: server.port,
    expire: () => deleteExpired(engine),
    stop,
  };
}
