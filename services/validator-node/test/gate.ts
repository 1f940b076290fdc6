import { connect, createServer, type Socket } from 'node:net';

export type Gate = { readonly url: string; open(): void; close(): void; stop(): Promise<void> };

/** A TCP door before a server, which the test can shut: new connections are refused and those that stand are cut. */
export async function startGate(targetUrl: string): Promise<Gate> {
  const { hostname, port } = new URL(targetUrl);
  const through = new Set<Socket>();
  let shut = false;
  const server = createServer((client) => {
    if (shut) {
      client.destroy();
      return;
    }
    const target = connect({ host: hostname, port: Number(port) });
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      through.add(from);
      from.pipe(to);
      // A cut connection is what this is for; the other end goes with it.
      from.on('error', () => to.destroy());
      from.on('close', () => {
        through.delete(from);
        to.destroy();
      });
    }
  });
  const cut = () => {
    for (const socket of through) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    open: () => {
      shut = false;
    },
    close: () => {
      shut = true;
      cut();
    },
    stop: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
