import type { Subscription } from 'nats';
import { type Hex, hexToBytes } from 'viem';
import type { MessageResult } from '../monitoring/events.ts';
import type { OffchainKeyring, Transport } from '../ports.ts';
import type { ValidatorBus } from './bus.ts';
import { encodeEnvelope, type Session, signingInput } from './envelope.ts';
import type { Rate } from './rate.ts';
import { createReceiver } from './receiver.ts';
import { nameOf, prefixOf, toAll } from './subjects.ts';

export type NatsTransportOptions = {
  bus: ValidatorBus;
  network: string;
  digest: Hex;
  /** Own index in the configuration. */
  index: number;
  offchainKeys: readonly Hex[];
  keyring: OffchainKeyring;
  /** Greater than every session this key ran before. */
  session: Session;
  maxBodyBytes: number;
  rate: Rate;
  /** Milliseconds. */
  now: () => number;
  /** What became of each message; `from` owns its subject, or is -1. */
  onMessage: (from: number, result: MessageResult) => void;
};

/** Sent later than this many others, a message has no value any more. */
const longestQueue = 256;

/**
 * The transport of one configuration over core NATS: at most once, signed by each sender. While the bus is away messages are
 * dropped, because old messages of the protocol are worth nothing.
 */
export function createNatsTransport(options: NatsTransportOptions): Transport {
  return new NatsTransport(options);
}

class NatsTransport implements Transport {
  readonly #options: NatsTransportOptions;
  readonly #prefix: string;
  readonly #names: readonly string[];
  readonly #own: string;
  readonly #digest: Uint8Array;
  readonly #queue: { to: number | 'all'; body: Uint8Array }[] = [];
  #subscriptions: Subscription[] = [];
  #counter = 0n;
  #sending: Promise<void> | undefined;
  #closed = false;

  constructor(options: NatsTransportOptions) {
    this.#options = options;
    this.#prefix = prefixOf(options.network, options.digest);
    this.#digest = hexToBytes(options.digest);
    this.#names = options.offchainKeys.map(nameOf);
    this.#own = this.#names[options.index] as string;
  }

  start(handler: (from: number, message: Uint8Array) => void): void {
    const { bus, onMessage } = this.#options;
    const receive = createReceiver(this.#options);
    const callback = (_: Error | null, message: { subject: string; data: Uint8Array }) => {
      if (this.#closed) return;
      const { result, from, body } = receive(message.subject, message.data);
      onMessage(from, result);
      // The client reuses its buffers; what the protocol keeps must be its own.
      if (body) handler(from, Uint8Array.from(body));
    };
    this.#subscriptions = [toAll, this.#own].map((target) =>
      bus.nats.subscribe(`${this.#prefix}.*.${target}`, { callback }),
    );
  }

  send(to: number, message: Uint8Array): void {
    this.#enqueue(to, message);
  }

  broadcast(message: Uint8Array): void {
    this.#enqueue('all', message);
  }

  /** Hears nothing more; what was said before is still sent. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    await this.#sending;
  }

  /** @throws RangeError for a message larger than any receiver takes: a fault of the caller. */
  #enqueue(to: number | 'all', body: Uint8Array) {
    const { maxBodyBytes, onMessage, index } = this.#options;
    if (body.length > maxBodyBytes)
      throw new RangeError(`A message of ${body.length} bytes is larger than the ${maxBodyBytes} that peers take.`);
    if (this.#closed) return;
    if (this.#queue.length >= longestQueue) {
      this.#queue.shift();
      onMessage(index, 'overflow');
    }
    this.#queue.push({ to, body });
    this.#sending ??= this.#drain().finally(() => {
      this.#sending = undefined;
    });
  }

  /** One after the other: counters and order on the wire are those of the calls. */
  async #drain() {
    const { bus, network, index, session, keyring } = this.#options;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      this.#counter += 1n;
      const { to, body } = next;
      const envelope = { network, digest: this.#digest, from: index, to, session, counter: this.#counter, body };
      const unsigned = encodeEnvelope(envelope);
      const signature = await keyring.sign(signingInput(unsigned));
      if (!bus.isConnected()) continue;
      const target = to === 'all' ? toAll : this.#names[to];
      bus.nats.publish(`${this.#prefix}.${this.#own}.${target}`, Buffer.concat([unsigned, signature]));
    }
  }
}
