import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { answersOk } from '../../tools/start/probes.ts';

/** An instance behind the balancer: where it takes requests, and where it says that it is ready. */
export type Instance = { readonly port: number; readonly readyUrl: string };

const checkMs = 500;
/** A request that only reads is tried at another instance when the first has not begun to answer by then. */
const firstByteMs = 2_000;
const tooLate = new Error('late');

/**
 * In front of the instances of a service: requests go round robin to those that are ready. One that could not be
 * connected is passed over at once; what only reads is also tried at another when its connection breaks before an answer began.
 */
export class Balancer {
  readonly #instances: readonly Instance[];
  readonly #ready = new Set<Instance>();
  readonly #server: Server;
  readonly #timer: ReturnType<typeof setInterval>;
  #turn = 0;
  /** Reads that an instance took and broke off, which were asked of another. */
  brokenReads = 0;
  /** Reads that were asked of another instance because the first was slow. */
  lateReads = 0;

  constructor(instances: readonly Instance[]) {
    this.#instances = instances;
    this.#server = createServer((incoming, outgoing) => void this.#forward(incoming, outgoing));
    this.#server.on('upgrade', (incoming, socket: Socket, head: Buffer) => this.#tunnel(incoming, socket, head));
    this.#timer = setInterval(() => void this.#check(), checkMs);
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #check(): Promise<void> {
    for (const instance of this.#instances)
      void answersOk(instance.readyUrl).then((isReady) => {
        if (isReady) this.#ready.add(instance);
        else this.#ready.delete(instance);
      });
  }

  /** All instances, the next in turn first and those that are not ready at the end. */
  #order(): Instance[] {
    this.#turn += 1;
    const turned = this.#instances.map((_, place, all) => all[(place + this.#turn) % all.length] as Instance);
    return [...turned.filter((one) => this.#ready.has(one)), ...turned.filter((one) => !this.#ready.has(one))];
  }

  async #forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const isRead = incoming.method === 'GET' || incoming.method === 'HEAD';
    const order = this.#order();
    for (const [place, instance] of order.entries()) {
      const mayTryAnother = place < order.length - 1;
      const isDone = await this.#ask(instance, incoming, body, outgoing, { isRead, mayTryAnother });
      if (isDone) return;
    }
  }

  /** @returns false when another instance is to be asked. */
  #ask(
    { port }: Instance,
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    { isRead, mayTryAnother }: { isRead: boolean; mayTryAnother: boolean },
  ): Promise<boolean> {
    // biome-ignore lint/plugin: no time passes here but that of a request
    return new Promise((resolve) => {
      const { method, url, headers } = incoming;
      const asked: ClientRequest = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false });
      const late = isRead && mayTryAnother ? setTimeout(() => asked.destroy(tooLate), firstByteMs) : undefined;
      asked.once('response', (answer) => {
        clearTimeout(late);
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        answer.once('error', () => outgoing.destroy());
        answer.once('aborted', () => outgoing.destroy());
        outgoing.once('close', () => asked.destroy());
        resolve(true);
      });
      asked.once('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(late);
        if (outgoing.headersSent) return;
        const wasTaken = error.code !== 'ECONNREFUSED';
        if (mayTryAnother && (isRead || !wasTaken)) {
          if (error === tooLate) this.lateReads += 1;
          else if (wasTaken) this.brokenReads += 1;
          return resolve(false);
        }
        outgoing.writeHead(502).end();
        resolve(true);
      });
      asked.end(body);
    });
  }

  /** A connection that becomes a websocket: passed on as it is, to the first instance that takes it. */
  #tunnel(incoming: IncomingMessage, socket: Socket, head: Buffer, order = this.#order()): void {
    const [instance, ...others] = order;
    if (!instance) return void socket.destroy();
    const to = connect(instance.port, '127.0.0.1');
    to.once('connect', () => {
      const lines = incoming.rawHeaders.flatMap((name, place, all) =>
        place % 2 ? [] : [`${name}: ${all[place + 1]}`],
      );
      to.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      to.write(head);
      socket.pipe(to).pipe(socket);
      to.once('close', () => socket.destroy());
    });
    socket.once('error', () => to.destroy());
    socket.once('close', () => to.destroy());
    to.once('error', () => {
      if (to.connecting || to.pending) this.#tunnel(incoming, socket, head, others);
      else socket.destroy();
    });
  }
}
