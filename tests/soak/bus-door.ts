import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The way of one process to one server of the bus, which can be cut: connections break, and new ones break at once. */
export class BusDoor {
  readonly #to: number;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #isCut = false;

  constructor(to: number) {
    this.#to = to;
    this.#server = createServer((client) => this.#join(client));
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#open) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #join(client: Socket): void {
    if (this.#isCut) return void client.destroy();
    const server = connect(this.#to, '127.0.0.1');
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#open.add(one);
      one.setNoDelay(true);
      one.pipe(other);
      one.once('error', () => other.destroy());
      one.once('close', () => {
        this.#open.delete(one);
        other.destroy();
      });
    }
  }
}
