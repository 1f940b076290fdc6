import { connect, type Socket } from 'node:net';

/** A reader of a stream that stops reading, and what it has of it. */
export type SlowReader = {
  readonly socket: Socket;
  /** The resume token: the id of the last event that arrived whole. */
  lastId: string;
  /** Blocks of the updates that arrived whole. */
  readonly blocks: Set<number>;
  readonly isClosed: () => boolean;
};

/** Whole events of what is left of a stream, and the rest behind them. */
function wholeEvents(text: string): { events: string[]; rest: string } {
  const parts = text.split('\n\n');
  const rest = parts.pop() ?? '';
  return { events: parts, rest };
}

/** Opens a stream, from an event on when one is named. Resolves with its first event. */
export const openReader = (port: number, path: string, lastId = ''): Promise<SlowReader> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const from = lastId === '' ? '' : `Last-Event-ID: ${lastId}\r\n`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n${from}\r\n`);
    let isClosed = false;
    let text = '';
    let isAnswered = false;
    const reader: SlowReader = { socket, lastId, blocks: new Set(), isClosed: () => isClosed };
    socket.on('data', (chunk: Buffer) => {
      if (!isAnswered && !String(chunk).startsWith('HTTP/1.1 200 '))
        reject(new Error(`A stream was refused: ${String(chunk).slice(0, 2_000)}`));
      isAnswered = true;
      const { events, rest } = wholeEvents(text + chunk.toString('latin1'));
      text = rest;
      for (const event of events) {
        const id = /(?:^|\n)id: (\d+)\n/.exec(event)?.[1];
        if (id === undefined) continue;
        reader.lastId = id;
        const block = /"block_number":(\d+)/.exec(event)?.[1];
        if (block !== undefined) reader.blocks.add(Number(block));
        resolve(reader);
      }
    });
    socket.on('error', reject);
    socket.once('close', () => {
      isClosed = true;
      reject(new Error('The stream ended before its first event.'));
    });
  });
