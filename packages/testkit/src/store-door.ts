import { connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be closed and opened again, while the server itself goes on. */
export type StoreDoor = { uri: string; interrupt(): Promise<void>; restart(): Promise<void> };

type Parts = { credentials: string; host: string; port: number; path: string; query: string };

/** @throws Error for a URI that names no host and port. */
function partsOf(uri: string): Parts {
  const [, credentials = '', hosts = '', path = '/', query = ''] =
    /^mongodb:\/\/([^@/]*@)?([^/?]+)(\/[^?]*)?(?:\?(.*))?$/.exec(uri) ?? [];
  const [first = ''] = hosts.split(',');
  const [, host, port = '27017'] = /^(.+?)(?::(\d+))?$/.exec(first) ?? [];
  if (!host) throw new Error('TEST_MONGODB_URI must be mongodb://host:port/..., so that a test can cut it off.');
  return { credentials, host: host.replace(/^\[|\]$/g, ''), port: Number(port), path, query };
}

/** The same server by another address, to which a driver keeps whatever the server says of itself. */
function uriThrough({ credentials, path, query }: Parts, port: number): string {
  const options = new URLSearchParams(query);
  options.delete('replicaSet');
  options.set('directConnection', 'true');
  return `mongodb://${credentials}127.0.0.1:${port}${path}?${options}`;
}

/** Opens a way to the first server of a URI. */
export async function storeDoor(uri: string): Promise<StoreDoor> {
  const target = partsOf(uri);
  const sockets = new Set<Socket>();
  const door = createServer((client) => {
    const server = connect({ host: target.host, port: target.port });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => door.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = door.address() as { port: number };
  return {
    uri: uriThrough(target, port),
    interrupt: async () => {
      if (!door.listening) return;
      const closed = new Promise<void>((resolve) => door.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    restart: async () => {
      if (!door.listening) await listen(port);
    },
  };
}
