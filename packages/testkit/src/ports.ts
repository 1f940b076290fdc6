import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that the kernel gives to connections and to those who listen at port 0: one of them may be taken by a connection
 * before the server for which it was looked up listens there. Nothing that `npm start` opens lies here, moved for tests or not.
 */
const [FIRST, SLICES, SLICE_SIZE] = [22_500, 16, 275];

const given = new Set<number>();

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });

/** A port of the loopback that is free, which no other file that runs beside this one is given. */
export async function freePort(): Promise<number> {
  // Each worker of jest takes from a slice of its own.
  const first = FIRST + (Number(process.env.JEST_WORKER_ID ?? 0) % SLICES) * SLICE_SIZE;
  for (let tries = 0; tries < 10 * SLICE_SIZE; tries += 1) {
    const port = first + randomInt(SLICE_SIZE);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${first} on is free.`);
}
