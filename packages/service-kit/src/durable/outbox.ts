import type { DurableEvent, EventData } from '@castellan/contracts';
import type { Connection } from 'mongoose';
import type { Logger } from '../logger.ts';
import { isDuplicateKey } from '../mongo.ts';
import { currentRequestId, requestIdHeader } from '../request-context.ts';
import { traceHeaders } from '../tracing/span.ts';
import { type DurableBus, publishDurable } from './connection.ts';

type OutboxDocument = { _id: string; event: string; data: unknown; headers: Record<string, string>; order: number };

/** Events stored beside the change that caused them, and published from there until the stream has them. */
export type Outbox = {
  /** Stores the event; the same `msgId` again changes nothing. It is published soon, and after a crash. */
  add<E extends DurableEvent>(event: E, data: EventData<E>, options: { msgId: string }): Promise<void>;
  /** Publishes what waits. @returns how many are left. */
  flush(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
};

const idleMs = 1000;

export function createOutbox(options: {
  connection: Connection;
  bus: DurableBus;
  events: readonly DurableEvent[];
  log: Logger;
  now: () => number;
}): Outbox {
  const { connection, bus, events, log, now } = options;
  const waiting = connection.collection<OutboxDocument>('outbox');
  const byName = new Map(events.map((event) => [event.name, event]));
  let running: Promise<number> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let lastOrder = 0;

  const publishWaiting = async (): Promise<number> => {
    for (;;) {
      const batch = await waiting.find().sort({ order: 1 }).limit(100).toArray();
      if (batch.length === 0) return 0;
      for (const { _id, event: name, data, headers } of batch) {
        const event = byName.get(name);
        if (!event) throw new Error(`The outbox holds ${name}, which this service does not publish.`);
        await publishDurable(bus, event, data, { msgId: _id, headers });
        await waiting.deleteOne({ _id });
      }
    }
  };
  const flush = (): Promise<number> => {
    running ??= publishWaiting().finally(() => {
      running = undefined;
    });
    return running;
  };
  const tick = () => {
    flush()
      .catch((error: Error) => log.warn('outbox waits', { error }))
      .finally(() => {
        if (!stopped) timer = setTimeout(tick, idleMs);
      });
  };
  return {
    async add(event, data, { msgId }) {
      lastOrder = Math.max(now(), lastOrder + 1);
      const requestId = currentRequestId();
      const headers = { ...traceHeaders(), ...(requestId ? { [requestIdHeader]: requestId } : {}) };
      try {
        await waiting.insertOne({
          _id: msgId,
          event: event.name,
          data: event.data.parse(data),
          headers,
          order: lastOrder,
        });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      if (!stopped) flush().catch((error: Error) => log.warn('outbox waits', { error }));
    },
    flush,
    start: tick,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await flush().catch((error: Error) => log.warn('outbox is left for the next start', { error }));
    },
  };
}
