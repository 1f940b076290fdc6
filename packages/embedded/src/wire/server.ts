import { createServer, type Server, type Socket } from 'node:net';
import { encodeReply, messageLength, ProtocolError, parseMessage, type Request } from './message.ts';

/** Answers one request with an encoded document. Never rejects. */
export type Handle = (request: Request, connectionId: number) => Promise<Uint8Array> | Uint8Array;

/** What answers clients, and learns which connections have closed. */
export type Clients = { handle: Handle; closed(connectionId: number): void };

/** Called for things an operator may want to see. */
export type Log = (message: string, fields?: Record<string, unknown>) => void;

/** A listening server and what ends it. */
export type WireServer = { port: number; connections(): number; close(): Promise<void> };

/** Cuts a byte stream into messages and answers them in order. */
class Connection {
  private chunks: Buffer[] = [];
  private buffered = 0;
  private needed = 4;
  private readonly queue: Request[] = [];
  private busy = false;
  private replies = 0;
  private readonly socket: Socket;
  private readonly id: number;
  private readonly handle: Handle;

  constructor(socket: Socket, id: number, handle: Handle) {
    this.socket = socket;
    this.id = id;
    this.handle = handle;
  }

  receive(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.buffered += chunk.length;
    if (this.buffered < this.needed) return;
    let buffer = this.chunks.length === 1 ? (this.chunks[0] as Buffer) : Buffer.concat(this.chunks);
    for (;;) {
      const length = messageLength(buffer);
      this.needed = length ?? 4;
      if (length === undefined || buffer.length < length) break;
      this.queue.push(parseMessage(buffer.subarray(0, length)));
      buffer = buffer.subarray(length);
    }
    this.chunks = [buffer];
    this.buffered = buffer.length;
    if (!this.busy) this.work();
  }

  private async work(): Promise<void> {
    this.busy = true;
    for (let request = this.queue.shift(); request; request = this.queue.shift()) {
      const pending = this.handle(request, this.id);
      const reply = pending instanceof Promise ? await pending : pending;
      if (request.silent || this.socket.destroyed) continue;
      this.replies = (this.replies + 1) & 0x7fffffff;
      this.socket.write(encodeReply(request, reply, this.replies));
    }
    this.busy = false;
  }
}

/**
 * Listens for MongoDB clients. A malformed message closes its own connection only.
 * @throws {Error} when the port is taken.
 */
export function listen(host: string, port: number, { handle, closed }: Clients, log: Log): Promise<WireServer> {
  const sockets = new Set<Socket>();
  let nextId = 1;
  const server: Server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    const id = nextId++;
    const connection = new Connection(socket, id, handle);
    socket.on('data', (chunk) => {
      try {
        connection.receive(chunk);
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        log('connection closed: malformed message', { connection: id, reason: error.message });
        socket.destroy();
      }
    });
    socket.on('error', (error) => log('connection failed', { connection: id, reason: error.message }));
    socket.on('close', () => {
      sockets.delete(socket);
      closed(id);
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      const close = () =>
        new Promise<void>((done) => {
          server.close(() => done());
          for (const socket of sockets) socket.destroy();
        });
      resolve({
        port: typeof address === 'object' && address ? address.port : port,
        connections: () => sockets.size,
        close,
      });
    });
  });
}
