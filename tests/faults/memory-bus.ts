import type { DurableBus, Logger } from '@castellan/service-kit';
import type { Process, World } from './world.ts';

type Headers = { set(name: string, value: string): void };
type Stored = {
  seq: number;
  subject: string;
  data: Uint8Array;
  headers: Headers | undefined;
  at: number;
  msgId: string | undefined;
};
type StreamConfig = { name: string; subjects: string[]; duplicate_window?: number };
type ConsumerConfig = { durable_name: string; ack_wait: number; max_ack_pending: number };
type Waiting = { process: Process; give: (message: Delivered | undefined) => void };
type Delivered = { stored: Stored; deliveryCount: number };

const msOf = (nanos: number): number => nanos / 1_000_000;
/** What a NATS server takes when a stream does not say. */
const defaultWindowMs = 120_000;

class Stream {
  readonly stored: Stored[] = [];
  readonly consumers = new Map<string, MemoryConsumer>();
  config: StreamConfig;

  constructor(config: StreamConfig) {
    this.config = config;
  }

  takes(subject: string): boolean {
    return this.config.subjects.some((pattern) => subject.startsWith(pattern.replace(/>$/, '')));
  }

  store(message: Omit<Stored, 'seq'>): { seq: number; duplicate: boolean } {
    const { duplicate_window } = this.config;
    const windowMs = duplicate_window === undefined ? defaultWindowMs : msOf(duplicate_window);
    const known = this.stored.findLast(
      ({ msgId, at }) => msgId !== undefined && msgId === message.msgId && message.at - at < windowMs,
    );
    if (known) return { seq: known.seq, duplicate: true };
    const seq = this.stored.length + 1;
    this.stored.push({ ...message, seq });
    for (const consumer of this.consumers.values()) consumer.deliver();
    return { seq, duplicate: false };
  }
}

/** A group of consumers as the server keeps it: what it gave out, to be acknowledged within `ack_wait`. */
class MemoryConsumer {
  readonly #world: World;
  readonly #stream: Stream;
  readonly #config: ConsumerConfig;
  readonly #pending = new Map<number, { deliveryCount: number; due: number }>();
  #waiting: Waiting[] = [];
  #next = 0;
  #acknowledged = 0;
  /** Given to a process that has neither acknowledged nor refused it. */
  readonly #handled = new Map<Delivered, Process>();
  #onSettled: (() => void)[] = [];

  constructor(world: World, stream: Stream, config: ConsumerConfig) {
    this.#world = world;
    this.#stream = stream;
    this.#config = config;
  }

  get isDone(): boolean {
    return this.#acknowledged === this.#stream.stored.length;
  }

  /** Resolves once a message that a running process has was settled by it; false at once when none has any. */
  async settled(): Promise<boolean> {
    if (![...this.#handled.values()].some(({ isRunning }) => isRunning)) return false;
    await new Promise<void>((resolve) => this.#onSettled.push(resolve));
    return true;
  }

  fetch(process: Process): { next: Promise<Delivered | undefined>; stop: () => void } {
    let waiting: Waiting | undefined;
    const next = new Promise<Delivered | undefined>((give) => {
      waiting = { process, give };
      this.#waiting.push(waiting);
    });
    this.deliver();
    return {
      next,
      stop: () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        waiting?.give(undefined);
      },
    };
  }

  deliver(): void {
    if (this.#world.isAway('bus')) return;
    this.#waiting = this.#waiting.filter(({ process }) => !process.isKilled);
    while (this.#waiting.length > 0) {
      const message = this.#due();
      if (!message) return;
      const { process, give } = this.#waiting.shift() as Waiting;
      this.#handled.set(message, process);
      give(message);
    }
  }

  #due(): Delivered | undefined {
    const now = this.#world.clock.now();
    const again = [...this.#pending].filter(([, { due }]) => due <= now).sort(([a], [b]) => a - b)[0];
    if (!again && (this.#pending.size >= this.#config.max_ack_pending || this.#next >= this.#stream.stored.length))
      return undefined;
    const seq = again ? again[0] : ++this.#next;
    const deliveryCount = (again?.[1].deliveryCount ?? 0) + 1;
    this.#pending.set(seq, { deliveryCount, due: now + msOf(this.#config.ack_wait) });
    return { stored: this.#stream.stored[seq - 1] as Stored, deliveryCount };
  }

  acknowledge({ stored }: Delivered): void {
    if (this.#pending.delete(stored.seq)) this.#acknowledged += 1;
    this.deliver();
  }

  refuse({ stored }: Delivered, waitMs: number): void {
    const pending = this.#pending.get(stored.seq);
    if (pending) pending.due = this.#world.clock.now() + waitMs;
  }

  letGo(message: Delivered): void {
    this.#handled.delete(message);
    for (const resolve of this.#onSettled.splice(0)) resolve();
  }

  get pending(): number {
    return this.#stream.stored.length - this.#next;
  }
}

/**
 * JetStream in memory, on the world's clock, as far as durable events use it: streams that know message ids for as long as they were
 * defined to, and groups of consumers with back-off and redelivery. The real server is in the tests of the service kit.
 */
export class MemoryBus {
  readonly #world: World;
  readonly #log: Logger;
  readonly #streams = new Map<string, Stream>();

  constructor(world: World, log: Logger) {
    this.#world = world;
    this.#log = log;
    world.onPass(() => {
      for (const { consumers } of this.#streams.values()) for (const consumer of consumers.values()) consumer.deliver();
    });
  }

  #stream(name: string): Stream {
    const stream = this.#streams.get(name);
    if (!stream) throw new Error(`There is no stream ${name}.`);
    return stream;
  }

  /** The data of all messages of a stream, in its order. */
  messages(name: string): unknown[] {
    return this.#stream(name).stored.map(({ data }) => JSON.parse(new TextDecoder().decode(data)));
  }

  consumer(stream: string, durable: string): MemoryConsumer {
    const consumer = this.#stream(stream).consumers.get(durable);
    if (!consumer) throw new Error(`There is no consumer ${durable} of ${stream}.`);
    return consumer;
  }

  /** What reached the server, from any sender. */
  publish(subject: string, data: Uint8Array, options: { msgID?: string; headers?: Headers } = {}) {
    const stream = [...this.#streams.values()].find((candidate) => candidate.takes(subject));
    if (!stream) throw new Error(`No stream takes ${subject}.`);
    const { headers, msgID: msgId } = options;
    if (msgId !== undefined) headers?.set('Nats-Msg-Id', msgId);
    return stream.store({ subject, data, headers, at: this.#world.clock.now(), msgId });
  }

  #message(process: Process, consumer: MemoryConsumer, delivered: Delivered) {
    const { stored, deliveryCount } = delivered;
    const send = (perform: () => void, isMoment: boolean) => {
      const sent = isMoment
        ? this.#world.request(process, 'bus', 'acknowledge', async () => perform())
        : this.#world.read(process, 'bus', async () => perform());
      // Nobody waits for these: one that does not arrive is made up for by redelivery.
      sent.catch((error: Error) => this.#log.debug('settling was lost', { error }));
      consumer.letGo(delivered);
    };
    return {
      subject: stored.subject,
      data: stored.data,
      headers: stored.headers,
      seq: stored.seq,
      info: {
        streamSequence: stored.seq,
        deliveryCount,
        timestampNanos: stored.at * 1_000_000,
        pending: consumer.pending,
      },
      json: () => JSON.parse(new TextDecoder().decode(stored.data)),
      ack: () => send(() => consumer.acknowledge(delivered), true),
      nak: (waitMs = 0) => send(() => consumer.refuse(delivered, waitMs), false),
      working: () => undefined,
    };
  }

  async #fetch(process: Process, consumer: MemoryConsumer) {
    await this.#world.read(process, 'bus', async () => undefined);
    const { next, stop } = consumer.fetch(process);
    const message = (delivered: Delivered) => this.#message(process, consumer, delivered);
    return {
      stop,
      async *[Symbol.asyncIterator]() {
        const delivered = await next;
        if (delivered) yield message(delivered);
      },
    };
  }

  /** The bus as one process reaches it. */
  of(process: Process, namespace: string): DurableBus {
    const addConsumer = (stream: string, config: ConsumerConfig) => {
      const { consumers } = this.#stream(stream);
      const known = consumers.get(config.durable_name);
      if (!known) consumers.set(config.durable_name, new MemoryConsumer(this.#world, this.#stream(stream), config));
    };
    const defineStream = (config: StreamConfig) => {
      const known = this.#streams.get(config.name);
      if (known) known.config = { ...known.config, ...config };
      else this.#streams.set(config.name, new Stream(config));
    };
    const bus = {
      nats: { isClosed: () => process.isKilled, info: { max_payload: 1_048_576 } },
      jetstream: {
        publish: (subject: string, data: Uint8Array, options: { msgID?: string; headers?: Headers }) =>
          this.#world.request(process, 'bus', `publish ${subject}`, async () => this.publish(subject, data, options)),
        consumers: {
          get: async (stream: string, durable: string) => ({
            fetch: () => this.#fetch(process, this.consumer(stream, durable)),
          }),
        },
      },
      manager: {
        streams: {
          add: async (config: StreamConfig) => defineStream(config),
          update: async (name: string, config: StreamConfig) => defineStream({ ...config, name }),
        },
        consumers: { add: async (stream: string, config: ConsumerConfig) => addConsumer(stream, config) },
      },
      namespace,
      log: this.#log,
      replicas: 1,
    };
    return bus as unknown as DurableBus;
  }
}
