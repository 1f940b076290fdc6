/**
 * Readers of a vault's stream, over plain sockets in one process: their own work shall not be what is measured. Gets its tasks from its
 * parent, says when all are connected, and what came after it is asked for that.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** So many readers more. */
export type ReadersTask = { streams: number; port: number; path: string };
/** `delaysMs`: from publishing to the bytes, of each update at each reader since the last report. `closed`: streams that ended. */
export type ReadersReport = { delaysMs: number[]; closed: number };
export type FromReaders = { connected: true } | { report: ReadersReport };
export type ToReaders = { task: ReadersTask } | { published: { marker: number; atMs: number } } | { report: true };

/** Connections that are being made at once: more would overflow the server's queue. */
const atOnce = 50;

const publishedAt = new Map<number, number>();
/** Arrivals whose publishing this process has not heard of yet. */
let arrivals: { marker: number; atMs: number }[] = [];
let closed = 0;

const nowMs = () => performance.timeOrigin + performance.now();

/** Resolves with the first bytes of the stream. */
const open = ({ port, path }: ReadersTask): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n\r\n`);
    socket.once('error', reject);
    socket.once('close', () => {
      closed += 1;
    });
    let rest = '';
    socket.on('data', (chunk: Buffer) => {
      resolve();
      const atMs = nowMs();
      rest += chunk.toString('latin1');
      // The place of an update in this run is what it says its block is: the rest of it need not be read.
      for (const [, marker] of rest.matchAll(/"block_number":(9\d{8}),"detail"/g))
        arrivals.push({ marker: Number(marker), atMs });
      rest = rest.slice(-24);
    });
  });

async function openAll(task: ReadersTask): Promise<void> {
  let left = task.streams;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await open(task);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  await sleep(2_000);
  process.send?.({ connected: true } satisfies FromReaders);
}

function report(): void {
  const delaysMs = arrivals.flatMap(({ marker, atMs }) => {
    const began = publishedAt.get(marker);
    return began === undefined ? [] : [atMs - began];
  });
  arrivals = [];
  process.send?.({ report: { delaysMs, closed } } satisfies FromReaders);
}

process.on('message', (message: ToReaders) => {
  if ('task' in message) {
    openAll(message.task).catch((error: Error) => {
      process.stderr.write(`a reader could not connect: ${error.message}\n`);
      process.exit(1);
    });
  } else if ('published' in message) publishedAt.set(message.published.marker, message.published.atMs);
  else report();
});
