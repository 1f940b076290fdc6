import type { DurableEvent, StreamDefinition } from '@castellan/contracts';
import {
  type Bury,
  connectDurable,
  consumeDurable,
  createLogger,
  type Handler,
  type Logger,
  readerUsers,
} from '@castellan/service-kit/durable';
import { dataOf, deadLetterFile, type KeepDeadLetter } from './dead-letters.ts';
import { busHandlersOf, type EventHandlers } from './public-events.ts';

/** How one subscribes; all of it may be left out. */
export type SubscribeOptions = {
  /** Of the deployment; `castellan` unless it was installed under another. */
  namespace?: string;
  /** Whose place in the streams it is: the user of the URL where that is a reader, else `reader`. Processes with the same name share the events. */
  reader?: string;
  /** Waits after failures of a handler; after the last one the event is a dead letter. */
  backoffMs?: readonly number[];
  /** Where dead letters are kept: a file, or what keeps them. */
  deadLetters?: string | KeepDeadLetter;
  log?: Logger;
};

/** A running subscription. */
export type Subscription = {
  /** Takes no further event, waits for those in progress, and closes the connection. */
  stop(): Promise<void>;
};

const defaultBackoffMs = [1000, 10_000, 60_000];
/** Longer than a restart takes; a handler at work is never silent. */
const ackWaitMs = 30_000;
const defaultReader = 'reader';
const defaultFile = 'castellan-dead-letters.jsonl';

const byStream = (handlers: readonly Handler<DurableEvent>[]): Map<StreamDefinition, Handler<DurableEvent>[]> => {
  const streams = new Map<StreamDefinition, Handler<DurableEvent>[]>();
  for (const handler of handlers) {
    const { stream } = handler.event;
    streams.set(stream, [...(streams.get(stream) ?? []), handler]);
  }
  return streams;
};

const buryWith =
  (keep: KeepDeadLetter): Bury =>
  ({ event, reason, seq, deliveries, data }) =>
    keep({ event: event.name, reason, seq, deliveries, data: dataOf(data) });

/**
 * Hands the public events of the bus to handlers: at least once, in the order of their stream, one at a time. Its place is kept by
 * the bus, so that it goes on behind the last settled event after a restart, and begins with what is kept (seven days). While the
 * bus is away it waits; while something that a handler needs cannot be reached the event is tried again for ever. An event that
 * fails by itself until its back-off is used up is kept as a dead letter, and the next one is handled.
 * @param url - Of the bus, with a reader's user and password: `nats://reader:…@host:4222`, several with commas between them.
 * @throws RangeError when there is no handler; NatsError when user or password are wrong.
 */
export async function subscribe(
  url: string,
  handlers: EventHandlers,
  options: SubscribeOptions = {},
): Promise<Subscription> {
  const streams = byStream(busHandlersOf(handlers));
  if (streams.size === 0) throw new RangeError('Give at least one handler, such as { alert: (alert) => … }.');
  const { namespace = 'castellan', backoffMs = defaultBackoffMs, deadLetters = defaultFile } = options;
  const log = options.log ?? createLogger({ service: 'castellan-events', level: 'warn' });
  const bus = await connectDurable({ url, namespace, service: 'events', log });
  const isReader = bus.user !== undefined && readerUsers.includes(bus.user);
  const durable = options.reader ?? (isReader ? bus.user : undefined) ?? defaultReader;
  const bury = buryWith(typeof deadLetters === 'string' ? deadLetterFile(deadLetters) : deadLetters);
  try {
    const running = await Promise.all(
      [...streams].map(([stream, handlers]) =>
        consumeDurable(bus, { stream, durable, handlers, backoffMs, ackWaitMs, bury }),
      ),
    );
    return {
      stop: async () => {
        await Promise.all(running.map((consumption) => consumption.stop()));
        await bus.nats.drain();
      },
    };
  } catch (error) {
    await bus.nats.close();
    throw error;
  }
}
