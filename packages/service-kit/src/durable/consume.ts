import type { DurableEvent, StreamDefinition } from '@castellan/contracts';
import { AckPolicy, type Consumer, type ConsumerMessages, DeliverPolicy, type JsMsg, nanos } from 'nats';
import type { DurableBus } from './connection.ts';
import { streamNameOf, subjectOf } from './connection.ts';
import type { Handler } from './handler.ts';
import { settle } from './settle.ts';

export type ConsumeOptions = {
  stream: StreamDefinition;
  /** One name per group of processes that share the work. */
  durable: string;
  handlers: readonly Handler<DurableEvent>[];
  /** Waits between deliveries; after the last one the message is a dead letter. */
  backoffMs?: readonly number[];
  /** Messages this process handles at once. With more than 1 they overtake each other. */
  concurrency?: number;
  /** After this silence of its process a message is given to another; a handler at work is never silent. */
  ackWaitMs?: number;
  onDead?: (reason: string) => void;
};

export type Consumption = {
  /** Takes no further message and resolves once those in progress are handled. */
  stop(): Promise<void>;
};

const defaultBackoffMs = [200, 1000, 5000, 15_000, 60_000];
const defaultAckWaitMs = 30_000;
const pullMs = 10_000;

/**
 * Handles a stream's events at least once, in order of arrival as long as none fails. A failed one is delivered again after
 * a growing wait, while those behind it go on; one that fails for good, or does not fit its schema, is kept in the
 * dead-letter stream with its reason. Goes on by itself after the server was away.
 */
export async function consumeDurable(bus: DurableBus, options: ConsumeOptions): Promise<Consumption> {
  const { durable, concurrency = 1, backoffMs = defaultBackoffMs, ackWaitMs = defaultAckWaitMs, onDead } = options;
  const stream = streamNameOf(bus.namespace, options.stream);
  await bus.manager.consumers.add(stream, {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: 1000,
  });
  const consumer = await bus.jetstream.consumers.get(stream, durable);
  const handlers = new Map(options.handlers.map((handler) => [subjectOf(bus.namespace, handler.event), handler]));
  const handle = (message: JsMsg) =>
    settle({ bus, stream, durable, handlers, backoffMs, heartbeatMs: ackWaitMs / 3, onDead }, message);
  const workers = Array.from({ length: concurrency }, () => new Worker(bus, consumer, handle));
  for (const worker of workers) worker.start();
  return {
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}

/**
 * Takes one message, handles it, takes the next. It asks for one at a time because what waits in the client's buffer is on the
 * server's clock: behind a slow handler it would be delivered again, and counted as a failure.
 */
class Worker {
  readonly #bus: DurableBus;
  readonly #consumer: Consumer;
  readonly #handle: (message: JsMsg) => Promise<void>;
  #messages: ConsumerMessages | undefined;
  #stopping = false;
  #done: Promise<void> = Promise.resolve();

  constructor(bus: DurableBus, consumer: Consumer, handle: (message: JsMsg) => Promise<void>) {
    this.#bus = bus;
    this.#consumer = consumer;
    this.#handle = handle;
  }

  start(): void {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#messages?.stop();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stopping && !this.#bus.nats.isClosed()) {
      try {
        this.#messages = await this.#consumer.fetch({ max_messages: 1, expires: pullMs });
        if (this.#stopping) this.#messages.stop();
        for await (const message of this.#messages) await this.#handle(message);
      } catch (error) {
        if (this.#stopping || this.#bus.nats.isClosed()) return;
        this.#bus.log.warn('durable consumer interrupted', { error: error as Error });
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }
}
