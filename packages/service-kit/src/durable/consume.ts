import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type DurableEvent, type StreamDefinition } from '@castellan/contracts';
import type { Consumer, ConsumerMessages, JsMsg } from 'nats';
import { streamNameOf, subjectOf } from '../bus-subjects.ts';
import { readerUsers } from '../bus-users.ts';
import { untilAvailable } from '../patience.ts';
import type { DurableBus } from './connection.ts';
import { watchDeadLetters } from './dead-letters.ts';
import type { Handler } from './handler.ts';
import { definePlace, type Place } from './place.ts';
import { type Bury, deadLetterStream, settle } from './settle.ts';

/** What a group of consumers handles, and how it retries. */
export type ConsumeOptions = {
  stream: StreamDefinition;
  /** One name per group of processes that share the work. */
  durable: string;
  handlers: readonly Handler<DurableEvent>[];
  /** Waits after the handler's own failures; after the last one the message is a dead letter. */
  backoffMs?: readonly number[];
  /** Messages that are in progress at once, in all processes of the group. With more than 1 they overtake each other. */
  concurrency?: number;
  /** After this silence of its process a message is given to another; a handler at work is never silent. */
  ackWaitMs?: number;
  onDead?: (reason: string) => void;
  /** Keeps what is given up, somewhere else than in the stream of dead letters; until it resolves, the message is not settled. */
  bury?: Bury;
  /** How a pause is made after the server could not be asked; by the clock unless a test has its own. */
  wait?: (ms: number) => Promise<unknown>;
};

/** A running consumer. */
export type Consumption = {
  /** Takes no further message and resolves once those in progress are handled. */
  stop(): Promise<void>;
};

const defaultBackoffMs = [200, 1000, 5000];
const defaultAckWaitMs = 10_000;
const pullMs = 10_000;
const retryMs = 500;
const noSuchConsumer = 10_014;
const noSuchStream = 10_059;

/**
 * Handles a stream's events at least once and in order: while one waits to be delivered again, those behind it wait too, in every
 * process of the group. A fault of the infrastructure (store, bus, chain node away) is tried again for ever; a message that fails
 * by itself until its back-off is used up, or does not fit its schema, is kept in the dead-letter stream with its reason, and the
 * next one is handled. Goes on by itself after the server was away.
 */
export async function consumeDurable(bus: DurableBus, options: ConsumeOptions): Promise<Consumption> {
  const { durable, concurrency = 1, backoffMs = defaultBackoffMs, ackWaitMs = defaultAckWaitMs, onDead } = options;
  const stream = streamNameOf(bus.namespace, options.stream);
  const consumer = await placeOf(bus, stream, { durable, ackWaitMs, concurrency });
  const gauge = options.bury ? undefined : watchDeadLetters(bus, durable);
  const bury = options.bury ?? deadLetterStream(bus, stream, durable);
  const handlers = new Map(options.handlers.map((handler) => [subjectOf(bus.namespace, handler.event), handler]));
  const failures = new Map<number, number>();
  const handle = (message: JsMsg) =>
    settle({ bus, durable, handlers, backoffMs, failures, heartbeatMs: ackWaitMs / 3, bury, onDead }, message);
  const workers = Array.from({ length: concurrency }, () => new Worker(bus, consumer, handle, options.wait ?? sleep));
  for (const worker of workers) worker.start();
  return {
    stop: async () => {
      gauge?.stop();
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}

/** A reader's place was made by who makes the stream; everybody else makes its own. */
async function placeOf(bus: DurableBus, stream: string, place: Place): Promise<Consumer> {
  const isReader = bus.user !== undefined && readerUsers.includes(bus.user);
  if (!isReader) await definePlace(bus, stream, place);
  return untilAvailable('a durable consumer is not there yet', bus.log, async () => {
    try {
      return await bus.jetstream.consumers.get(stream, place.durable);
    } catch (error) {
      if (!isReader || !isMissing(error)) throw error;
      throw new AppError('SERVICE_UNAVAILABLE', `No service has made the stream ${stream} yet.`, { cause: error });
    }
  });
}

const isMissing = (error: unknown): boolean =>
  [noSuchConsumer, noSuchStream].includes((error as { api_error?: { err_code?: number } }).api_error?.err_code ?? 0);

/**
 * Takes one message, handles it, takes the next. It asks for one at a time because what waits in the client's buffer is on the
 * server's clock: behind a slow handler it would be delivered again, and counted as a failure.
 */
class Worker {
  readonly #bus: DurableBus;
  readonly #consumer: Consumer;
  readonly #handle: (message: JsMsg) => Promise<void>;
  readonly #wait: (ms: number) => Promise<unknown>;
  #messages: ConsumerMessages | undefined;
  #stopping = false;
  #done: Promise<void> = Promise.resolve();

  constructor(
    bus: DurableBus,
    consumer: Consumer,
    handle: (message: JsMsg) => Promise<void>,
    wait: (ms: number) => Promise<unknown>,
  ) {
    this.#bus = bus;
    this.#consumer = consumer;
    this.#handle = handle;
    this.#wait = wait;
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
        await this.#wait(retryMs);
      }
    }
  }
}
