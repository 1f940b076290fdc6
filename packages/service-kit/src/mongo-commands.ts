import type { Socket } from 'node:net';
import type { Connection } from 'mongoose';

/** mongodb's client beneath a connection of mongoose. */
export type MongoClient = ReturnType<Connection['getClient']>;

/** A command that the store has answered or refused. */
type StoreCommand = {
  /** As in `find` or `update`. */
  name: string;
  command: Readonly<Record<string, unknown>>;
  outcome: 'ok' | 'error';
  durationMs: number;
};

type Pooled = { command(namespace: unknown, command: Record<string, unknown>, ...rest: unknown[]): Promise<unknown> };

/** The part of the driver's insides that is used here. */
type Server = {
  monitor?: { connection?: { closed: boolean; socket: Socket } | null } | null;
  pool?: {
    options: { minPoolSize: number };
    minPoolSizeTimer?: NodeJS.Timeout;
    checkOut(options: unknown): Promise<Pooled>;
  };
};
type Insides = { topology?: { s: { servers: Map<string, Server> } } };

/** The servers that a client of mongodb 7.8.0 is connected to, by address. */
export const serversOf = (client: MongoClient): Map<string, Server> =>
  (client as unknown as Insides).topology?.s.servers ?? new Map();

type Listener = (command: StoreCommand) => void;
const listeners = new WeakMap<MongoClient, Set<Listener>>();

/**
 * Calls `listener` after each command of a connection, those of its pool's handshakes left out.
 *
 * The driver's own command events hold the decoded reply: as soon as somebody listens, each reply is decoded for them and then once more
 * for the caller, a tenth of what a service works.
 * @returns what ends it.
 */
export function onStoreCommand(connection: Connection, listener: Listener): () => void {
  const client = connection.getClient();
  const heard = listeners.get(client) ?? follow(client);
  heard.add(listener);
  return () => heard.delete(listener);
}

function follow(client: MongoClient): Set<Listener> {
  const heard = new Set<Listener>();
  listeners.set(client, heard);
  const known = new WeakSet<object>();
  const followConnection = (pooled: Pooled) => {
    if (known.has(pooled)) return pooled;
    known.add(pooled);
    const run = pooled.command.bind(pooled);
    pooled.command = async (namespace, command, ...rest) => {
      const startedAt = performance.now();
      const report = (outcome: StoreCommand['outcome']) => {
        const [name = ''] = Object.keys(command);
        for (const hear of heard) hear({ name, command, outcome, durationMs: performance.now() - startedAt });
      };
      try {
        const reply = await run(namespace, command, ...rest);
        report('ok');
        return reply;
      } catch (error) {
        report('error');
        throw error;
      }
    };
    return pooled;
  };
  const followServers = () => {
    for (const { pool } of serversOf(client).values()) {
      if (!pool || known.has(pool)) continue;
      known.add(pool);
      const checkOut = pool.checkOut.bind(pool);
      pool.checkOut = async (options) => followConnection(await checkOut(options));
    }
  };
  followServers();
  // A server that is found later, as another member of a replica set.
  client.on('connectionPoolReady', followServers);
  return heard;
}
