import type { DurableEvent, EventData, StreamDefinition } from '@castellan/contracts';
import { AckPolicy, type Consumer, type ConsumerMessages, DeliverPolicy, type JsMsg, nanos } from 'nats';
import { requestIdHeader, withRequestId } from '../request-context.ts';
import { type Carrier, inSpan, SpanKind } from '../tracing/span.ts';
import { type DurableBus, deadSubjectOf, streamNameOf, subjectOf } from './connection.ts';

/** What a handler is told of the delivery besides its data. */
export type Delivery = { seq: number; msgId: string; deliveryCount: number; publishedAt: Date };

export type Handler<E extends DurableEvent> = {
  event: E;
  handle: (data: EventData<E>, delivery: Delivery) => Promise<void>;
};

/** Ties a handler to the type of its event. */
export const on = <E extends DurableEvent>(event: E, handle: Handler<E>['handle']): Handler<DurableEvent> =>
  ({ event, handle }) as unknown as Handler<DurableEvent>;

export type ConsumeOptions = {
  stream: StreamDefinition;
  /** One name per group of processes that share the work. */
  durable: string;
  handlers: readonly Handler<DurableEvent>[];
  /** Waits between deliveries; after the last one the message is a dead letter. */
  backoffMs?: readonly number[];
  onDead?: (reason: string) => void;
};

export type Consumption = { stop(): Promise<void> };

const defaultBackoffMs = [200, 1000, 5000, 15_000, 60_000];
const ackWaitMs = 30_000;

/**
 * Handles a stream's events at least once, one at a time and in order of arrival. A failed one is delivered again after a
 * growing wait; one that fails for good, or does not fit its schema, is kept in the dead-letter stream with its reason.
 */
export async function consumeDurable(bus: DurableBus, options: ConsumeOptions): Promise<Consumption> {
  const stream = streamNameOf(bus.namespace, options.stream);
  const backoffMs = options.backoffMs ?? defaultBackoffMs;
  await bus.manager.consumers.add(stream, {
    durable_name: options.durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: 100,
  });
  const consumer = await bus.jetstream.consumers.get(stream, options.durable);
  const handlers = new Map(options.handlers.map((handler) => [subjectOf(bus.namespace, handler.event), handler]));
  const loop = new ConsumeLoop(bus, consumer, (message) =>
    handleOne(bus, options.durable, handlers, backoffMs, options.onDead, message),
  );
  loop.start();
  return { stop: () => loop.stop() };
}

/** Keeps a consumer reading across the server's restarts, and stops between two messages. */
class ConsumeLoop {
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
        this.#messages = await this.#consumer.consume({ max_messages: 50, expires: 10_000 });
        for await (const message of this.#messages) {
          await this.#handle(message);
          if (this.#stopping) break;
        }
      } catch (error) {
        if (this.#stopping) return;
        this.#bus.log.warn('durable consumer interrupted', { error: error as Error });
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }
}

const carrierOf = (message: JsMsg): Carrier => {
  const carrier: Carrier = {};
  for (const [name, values] of message.headers ?? []) carrier[name] = values[0] ?? '';
  return carrier;
};

async function handleOne(
  bus: DurableBus,
  durable: string,
  handlers: Map<string, Handler<DurableEvent>>,
  backoffMs: readonly number[],
  onDead: ConsumeOptions['onDead'],
  message: JsMsg,
): Promise<void> {
  const handler = handlers.get(message.subject);
  if (!handler) {
    message.ack();
    return;
  }
  const { deliveryCount, streamSequence, timestampNanos } = message.info;
  const carrier = carrierOf(message);
  const working = setInterval(() => message.working(), ackWaitMs / 3);
  const delivery: Delivery = {
    seq: streamSequence,
    msgId: carrier['Nats-Msg-Id'] ?? String(streamSequence),
    deliveryCount,
    publishedAt: new Date(timestampNanos / 1_000_000),
  };
  const bury = async (reason: string) => {
    bus.log.error('event went to the dead letters', {
      durable,
      event: handler.event.name,
      seq: streamSequence,
      reason,
    });
    await bus.jetstream.publish(deadSubjectOf(bus.namespace, durable), message.data, {
      msgID: `${durable}:${streamSequence}`,
    });
    onDead?.(reason);
    message.ack();
  };
  try {
    const parsed = handler.event.data.safeParse(parseJson(message));
    if (!parsed.success) return await bury(`does not fit its schema: ${parsed.error.issues[0]?.message ?? ''}`);
    const run = () =>
      inSpan(`process ${handler.event.name}`, { kind: SpanKind.CONSUMER, from: carrier }, () =>
        handler.handle(parsed.data, delivery),
      );
    await withRequestId(carrier[requestIdHeader] ?? delivery.msgId, run);
    message.ack();
  } catch (error) {
    const wait = backoffMs[deliveryCount - 1];
    if (wait === undefined) return await bury((error as Error).message);
    bus.log.warn('event will be handled again', {
      durable,
      event: handler.event.name,
      deliveryCount,
      waitMs: wait,
      error: error as Error,
    });
    message.nak(wait);
  } finally {
    clearInterval(working);
  }
}

const parseJson = (message: JsMsg): unknown => {
  try {
    return message.json();
  } catch {
    return undefined; // Not JSON: no schema accepts undefined, so it is buried with that reason.
  }
};
