import { randomUUID } from 'node:crypto';
import { type DurableEvent, type EventData, hasErrorCode, isHeard } from '@castellan/contracts';
import type { Connection } from 'mongoose';
import { acquireLease, releaseLease } from '../fenced-lease.ts';
import type { Logger } from '../logger.ts';
import { outsideTrace } from '../tracing/span.ts';
import { type DurableBus, publishDurable, sendDurable } from './connection.ts';
import { type OutboxDocument, outboxCollection, type RecordWith, recorder, storePending } from './record.ts';

/** Events stored together with the change that caused them, and published in their order until the stream has them. */
export type Outbox = {
  /** Stores a change and its events in one transaction. They are published soon, and after a crash. */
  recordWith: RecordWith;
  /** Stores an event without a change; the same `msgId` again, while it is pending, changes nothing. */
  add<E extends DurableEvent>(event: E, data: EventData<E>, options: { msgId: string }): Promise<void>;
  /**
   * Publishes an event that its caller has stored and repeats until this resolves: at once while nothing of this process is
   * pending, else by {@link Outbox.add}.
   */
  publish<E extends DurableEvent>(event: E, data: EventData<E>, options: { msgId: string }): Promise<void>;
  /** Publishes what is pending. @returns how many are left. @throws AppError SERVICE_UNAVAILABLE while the bus is away. */
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
  /**
   * How often an outbox that is empty is read, in milliseconds: for what another process stored and did not publish. What this
   * process stores is published at once.
   */
  sweepMs?: number;
};

const defaultSweepMs = 20_000;
/** After an attempt that the bus, the store or another process kept from publishing. */
const retryMs = 500;
/** After one that left nothing but what can never be published: each try says so in the log. */
const blockedRetryMs = 10_000;
/** How often an outbox is read whose events end what somebody may do. */
export const outboxSweepOfEndsMs = 1500;
const lease = { name: 'outbox', ttlMs: 3000 };
/** While a stream takes nothing: who was not connected when an end was said hears it soon after. */
const sayAgainMs = 1000;
/** Renewed well before it ends: a publish may take 2 s. */
const renewMs = 500;
/**
 * How long events wait at most that a process has stored, or was publishing, when it died, where the outbox is read every
 * {@link outboxSweepOfEndsMs}. A session that was ended, or a grant that was taken back, ends everywhere by such an event: this
 * stays well below the 5 s after which nothing may be open any more. A holder that stood still for longer publishes what others have
 * published meanwhile; the stream takes it for the same message.
 */
export const outboxTakeoverMs = Math.max(lease.ttlMs, outboxSweepOfEndsMs) + retryMs;
const batch = 100;

/** Publishes in the order of adding, from one process at a time: the one that holds the lease. */
class Pump {
  readonly #options: OutboxOptions;
  readonly #holder = randomUUID();
  readonly #byName: Map<string, DurableEvent>;
  #oldest: number | undefined;
  /** The last run published what it could: the rest never will be. */
  hasTriedAll = false;
  #wasUnavailable = false;
  #saidMs = Number.NEGATIVE_INFINITY;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#byName = new Map(options.events.map((event) => [event.name, event]));
    options.bus.metrics?.outboxAge.readWith(() => this.#ageSeconds());
  }

  /** Places of the order begin at the store's clock in milliseconds, so the oldest one's place says when it was stored. */
  #ageSeconds(): number {
    return this.#oldest === undefined ? 0 : Math.max(0, (this.#options.now() - this.#oldest) / 1000);
  }

  get pending() {
    return outboxCollection(this.#options.connection);
  }

  async run(): Promise<number> {
    const { connection, now, bus } = this.#options;
    this.hasTriedAll = false;
    this.#oldest = (await this.pending.findOne({}, { sort: { order: 1 } }))?.order;
    if (this.#oldest === undefined) return this.#report(0);
    const holding = { ...lease, holder: this.#holder };
    if (!(await acquireLease(connection, holding))) {
      // Who holds it may be dead, or wait for a stream.
      if (now() - this.#saidMs >= sayAgainMs) await this.#sayWhatEnds();
      return this.#left();
    }
    const saying = setInterval(() => void this.#sayWhatEnds().catch(this.#notSaid), sayAgainMs).unref();
    try {
      // An event that can never be published holds up its own kind only, and a stream that takes nothing only what is for it.
      const blocked = new Set<string>();
      let unavailable: unknown;
      if (this.#wasUnavailable) await this.#sayWhatEnds();
      this.#wasUnavailable = false;
      for (;;) {
        const query = { event: { $nin: [...blocked] } };
        const documents = await this.pending.find(query).sort({ order: 1 }).limit(batch).toArray();
        let heldSince = now();
        for (const document of documents) {
          if (blocked.has(document.event)) continue;
          if (now() - heldSince > renewMs) {
            if (!(await acquireLease(connection, holding))) return await this.#left();
            heldSince = now();
          }
          try {
            if (!(await this.#publish(document))) blocked.add(document.event);
          } catch (error) {
            if (!hasErrorCode(error, 'SERVICE_UNAVAILABLE')) throw error;
            unavailable = error;
            this.#wasUnavailable = true;
            for (const name of this.#ofSameStream(document.event)) blocked.add(name);
          }
        }
        // What was stored meanwhile is followed by a run of its own; what cannot be published is counted.
        if (documents.length < batch) {
          if (unavailable !== undefined) {
            await this.#left();
            throw unavailable;
          }
          this.hasTriedAll = true;
          return blocked.size === 0 ? this.#report(0) : await this.#left();
        }
        if (!(await acquireLease(connection, holding))) return await this.#left();
      }
    } finally {
      clearInterval(saying);
      await releaseLease(connection, holding).catch((error: Error) =>
        bus.log.debug('lease is left to expire', { error }),
      );
    }
  }

  #notSaid = (error: unknown): void => this.#options.log.debug('what ends an access could not be said', { error });

  /** What ends an access does not wait behind what a stream does not take: those who hear it have it now. */
  async #sayWhatEnds(): Promise<void> {
    const heard = this.#options.events.filter(isHeard);
    if (heard.length === 0) return;
    this.#saidMs = this.#options.now();
    const waiting = this.pending.find({ event: { $in: heard.map(({ name }) => name) } });
    for (const { _id, event: name, data } of await waiting.sort({ order: 1 }).limit(batch).toArray()) {
      const event = this.#byName.get(name);
      if (event) sendDurable(this.#options.bus, event, data, { msgId: _id });
    }
  }

  #ofSameStream(event: string): string[] {
    const name = this.#byName.get(event)?.stream.name;
    return this.#options.events.filter(({ stream }) => stream.name === name).map((each) => each.name);
  }

  /** @returns false when it can never be published. @throws AppError SERVICE_UNAVAILABLE when its stream does not take it now. */
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
    await this.pending.deleteOne({ _id });
    return true;
  }

  async #left(): Promise<number> {
    return this.#report(await this.pending.countDocuments());
  }

  #report(left: number): number {
    if (left === 0) this.#oldest = undefined;
    this.#options.bus.metrics?.outbox.set(left);
    return left;
  }
}

/** Runs the pump when asked, one run at a time, and on its own: soon while something is left, else now and then. */
class Relay {
  readonly #pump: Pump;
  readonly #log: Logger;
  readonly #sweepMs: number;
  #running: Promise<number> | undefined;
  #isStale = false;
  #timer: NodeJS.Timeout | undefined;
  #isStarted = false;
  #isStopped = false;
  #isEmpty = false;

  constructor(pump: Pump, { log, sweepMs = defaultSweepMs }: OutboxOptions) {
    this.#pump = pump;
    this.#log = log;
    this.#sweepMs = sweepMs;
  }

  /** True when the last run left nothing, and nothing was added since. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Something is about to be stored. */
  expect(): void {
    this.#isEmpty = false;
  }

  flush(): Promise<number> {
    this.#isStale = true;
    this.#isEmpty = false;
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** No part of the trace of who stored something: the timer that follows would carry it on for as long as the process runs. */
  soon(): void {
    if (!this.#isStopped) outsideTrace(() => void this.#flushQuietly());
  }

  start(): void {
    this.#isStarted = true;
    this.soon();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#flushQuietly();
  }

  async #runAll(): Promise<number> {
    for (;;) {
      this.#isStale = false;
      const left = await this.#pump.run();
      if (this.#isStale) continue;
      this.#isEmpty = left === 0;
      return left;
    }
  }

  async #flushQuietly(): Promise<void> {
    const left = await this.flush().catch((error: unknown) => {
      this.#log.warn('could not publish the outbox, retrying', { error });
      return undefined;
    });
    if (!this.#isStarted || this.#isStopped) return;
    clearTimeout(this.#timer);
    const againMs = this.#pump.hasTriedAll ? blockedRetryMs : retryMs;
    this.#timer = setTimeout(() => this.soon(), left === 0 ? this.#sweepMs : Math.min(againMs, this.#sweepMs));
  }
}

/** An outbox on the collection `outbox` of the service's own database. */
export function createOutbox(options: OutboxOptions): Outbox {
  const { connection } = options;
  const pump = new Pump(options);
  const relay = new Relay(pump, options);
  const start = () => relay.start();
  const add: Outbox['add'] = async (event, data, { msgId }) => {
    relay.expect();
    await storePending(connection, [{ event, data, msgId }]);
    relay.soon();
  };
  return {
    recordWith: recorder(connection, () => relay.soon()),
    add,
    async publish(event, data, { msgId }) {
      if (!relay.isEmpty) return add(event, data, { msgId });
      // What cannot be published is stored, and refused or reported as anything that was added.
      await publishDurable(options.bus, event, data, { msgId }).catch(() => add(event, data, { msgId }));
    },
    flush: () => relay.flush(),
    start: () => void pump.pending.createIndex({ order: 1 }).then(start, start),
    stop: () => relay.stop(),
  };
}
