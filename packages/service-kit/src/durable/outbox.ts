import { randomUUID } from 'node:crypto';
import { type DurableEvent, type EventData, hasErrorCode } from '@castellan/contracts';
import type { Connection } from 'mongoose';
import { acquireLease, releaseLease } from '../lease.ts';
import type { Logger } from '../logger.ts';
import { isDuplicateKey } from '../mongo.ts';
import { currentRequestId, requestIdHeader } from '../request-context.ts';
import { traceHeaders } from '../tracing/span.ts';
import { type DurableBus, publishDurable } from './connection.ts';

type OutboxDocument = { _id: string; event: string; data: unknown; headers: Record<string, string>; order: number };

/** The last place in the order that was given away. */
type OrderDocument = { _id: 'outbox'; last: number };

/** Events stored beside the change that caused them, and published from there until the stream has them. */
export type Outbox = {
  /** Stores the event; the same `msgId` again, while it waits, changes nothing. It is published soon, and after a crash. */
  add<E extends DurableEvent>(event: E, data: EventData<E>, options: { msgId: string }): Promise<void>;
  /** Publishes what waits. @returns how many are left. @throws AppError SERVICE_UNAVAILABLE while the bus is away. */
  flush(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
};

/** Where events are stored until they are published, and which ones. */
export type OutboxOptions = {
  connection: Connection;
  bus: DurableBus;
  events: readonly DurableEvent[];
  log: Logger;
  /** Milliseconds since the epoch. */
  now: () => number;
};

const idleMs = 1000;
const lease = { name: 'outbox', ttlMs: 15_000 };
/** Renewed well before it ends: a publish may take 2 s. */
const renewMs = 5000;
const batch = 100;

/** Publishes in the order of adding, from one process at a time: the one that holds the lease. */
class Pump {
  readonly #options: OutboxOptions;
  readonly #holder = randomUUID();
  readonly #byName: Map<string, DurableEvent>;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#byName = new Map(options.events.map((event) => [event.name, event]));
  }

  get waiting() {
    return this.#options.connection.collection<OutboxDocument>('outbox');
  }

  /** Grows with each event that is added, on whichever host: the store counts, from its own clock on. */
  async nextPlace(): Promise<number> {
    const next = { $max: [{ $add: [{ $ifNull: ['$last', 0] }, 1] }, { $toLong: '$$NOW' }] };
    const given = await this.#options.connection
      .collection<OrderDocument>('outbox_order')
      .findOneAndUpdate({ _id: 'outbox' }, [{ $set: { last: next } }], { upsert: true, returnDocument: 'after' });
    if (!given) throw new Error('The store returned no place in the order of the outbox.');
    return Number(given.last);
  }

  async run(): Promise<number> {
    const { connection, now, bus } = this.#options;
    // Most passes find nothing, and a count would ask the store again.
    if (!(await this.waiting.findOne())) return this.#report(0);
    const holding = { ...lease, holder: this.#holder };
    if (!(await acquireLease(connection, holding))) return this.#left();
    try {
      // An event that can never be published holds up its own kind only.
      const blocked = new Set<string>();
      for (;;) {
        const query = { event: { $nin: [...blocked] } };
        const documents = await this.waiting.find(query).sort({ order: 1 }).limit(batch).toArray();
        let heldSince = now();
        for (const document of documents) {
          if (blocked.has(document.event)) continue;
          if (now() - heldSince > renewMs) {
            if (!(await acquireLease(connection, holding))) return await this.#left();
            heldSince = now();
          }
          if (!(await this.#publish(document))) blocked.add(document.event);
        }
        if (documents.length < batch) return await this.#left();
        if (!(await acquireLease(connection, holding))) return await this.#left();
      }
    } finally {
      await releaseLease(connection, holding).catch((error: Error) =>
        bus.log.debug('lease is left to expire', { error }),
      );
    }
  }

  /** @returns false when it can never be published. */
  async #publish({ _id, event: name, data, headers }: OutboxDocument): Promise<boolean> {
    const { bus, log } = this.#options;
    const event = this.#byName.get(name);
    try {
      if (!event) throw new Error(`This service does not publish ${name}.`);
      await publishDurable(bus, event, data, { msgId: _id, headers });
    } catch (error) {
      if (hasErrorCode(error, 'SERVICE_UNAVAILABLE')) throw error;
      log.error('event of the outbox cannot be published', { event: name, msgId: _id, error });
      return false;
    }
    await this.waiting.deleteOne({ _id });
    return true;
  }

  async #left(): Promise<number> {
    return this.#report(await this.waiting.countDocuments());
  }

  #report(left: number): number {
    this.#options.bus.metrics?.outbox.set(left);
    return left;
  }
}

/** An outbox on the collection `outbox` of the service's own database. */
export function createOutbox(options: OutboxOptions): Outbox {
  const { log } = options;
  const pump = new Pump(options);
  let running: Promise<number> | undefined;
  let isStale = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const runAll = async (): Promise<number> => {
    for (;;) {
      isStale = false;
      const left = await pump.run();
      if (!isStale) return left;
    }
  };
  const flush = (): Promise<number> => {
    isStale = true;
    running ??= runAll().finally(() => {
      running = undefined;
    });
    return running;
  };
  const flushQuietly = () => flush().catch((error: unknown) => log.warn('outbox waits', { error }));
  const tick = async () => {
    await flushQuietly();
    if (!stopped) timer = setTimeout(tick, idleMs);
  };
  return {
    async add(event, data, { msgId }) {
      const parsed = event.data.parse(data);
      const order = await pump.nextPlace();
      const requestId = currentRequestId();
      const headers = { ...traceHeaders(), ...(requestId ? { [requestIdHeader]: requestId } : {}) };
      try {
        await pump.waiting.insertOne({ _id: msgId, event: event.name, data: parsed, headers, order });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      if (!stopped) void flushQuietly();
    },
    flush,
    start: () => void pump.waiting.createIndex({ order: 1 }).then(tick, tick),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await flushQuietly();
    },
  };
}
