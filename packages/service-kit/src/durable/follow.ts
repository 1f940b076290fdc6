import { setTimeout as sleep } from 'node:timers/promises';
import type { DurableEvent, StreamDefinition } from '@castellan/contracts';
import { AckPolicy, ConsumerEvents, type ConsumerMessages, DeliverPolicy, Events, type JsMsg, nanos } from 'nats';
import type { z } from 'zod';
import { streamNameOf, subjectOf } from '../bus-subjects.ts';
import { inSpanNow, isRecordedTrace, SpanKind } from '../tracing/span.ts';
import type { DurableBus } from './connection.ts';
import { isRedriven } from './dead-letters.ts';

/** One message. `seq` is the stream's own number: grows, never repeats, the same for every reader. */
export type Followed = {
  event: DurableEvent;
  data: unknown;
  /** All of the message, held against its contract; undefined, and logged, for one that does not fit. */
  whole: () => unknown;
  seq: number;
  time: Date;
};

/** What to follow, and from where; every process that follows sees every message. */
export type FollowOptions = {
  stream: StreamDefinition;
  events: readonly DurableEvent[];
  /**
   * From the stream's first message, from a time on by the clock of the bus, after a message that was seen, or after the last one there
   * is now.
   */
  from: 'start' | 'end' | Date | { afterSeq: number };
  onMessage: (message: Followed) => void;
  /** Where most messages are of interest to nobody here: what `data` holds of them. The rest is looked at when `whole` is called. */
  part?: z.ZodType;
  /** Messages after the last one seen are gone, or the stream was made anew; what is there still follows. */
  onGap?: () => void;
};

/** A running follower. */
export type Following = {
  /** Resolves once everything that was stored when following began has been seen. */
  readonly caughtUp: Promise<void>;
  stop(): Promise<void>;
};

const pullMs = 10_000;
/** A server that forgot a request sends no heartbeat for it either: after two that are missing it is asked again. */
const heartbeatMs = 2_000;
const retryMs = 500;
/** What was asked while the connection was away is not answered any more: it is asked again sooner than after the client's own 5 s. */
const answerMs = 2_000;

function answered<T>(asked: Promise<T>): Promise<T> {
  const isSettled = new AbortController();
  const late = sleep(answerMs, undefined, { signal: isSettled.signal }).then(() => {
    throw new Error('TIMEOUT');
  });
  return Promise.race([asked, late]).finally(() => isSettled.abort());
}

/**
 * Reads a stream in order, once in this process, without acknowledging: every process sees every message. Survives the
 * server's restart and goes on after the last message it saw.
 */
export async function followStream(bus: DurableBus, options: FollowOptions): Promise<Following> {
  const name = streamNameOf(bus.namespace, options.stream);
  const { created, state } = await bus.manager.streams.info(name);
  const follower = new Follower(bus, name, options, { created, lastSeq: state.last_seq });
  follower.start();
  return { caughtUp: follower.caughtUp, stop: () => follower.stop() };
}

class Follower {
  readonly caughtUp: Promise<void>;
  readonly #bus: DurableBus;
  readonly #name: string;
  readonly #options: FollowOptions;
  readonly #target: number;
  readonly #bySubject: Map<string, DurableEvent>;
  #catchUp: () => void = () => undefined;
  #lastSeen = 0;
  /** After which message it was asked for the next one again, because that did not arrive. */
  #askedAgainAfter: number | undefined;
  /** When the followed stream was made, as its server says. */
  #created: string;
  #messages: ConsumerMessages | undefined;
  #stopping = false;
  #done: Promise<void> = Promise.resolve();

  constructor(
    bus: DurableBus,
    name: string,
    options: FollowOptions,
    { created, lastSeq: target }: { created: string; lastSeq: number },
  ) {
    this.#bus = bus;
    this.#name = name;
    this.#options = options;
    this.#target = target;
    this.#created = created;
    if (options.from === 'end') this.#lastSeen = target;
    this.#bySubject = new Map(options.events.map((event) => [subjectOf(bus.namespace, event), event]));
    this.caughtUp = new Promise((resolve) => {
      this.#catchUp = resolve;
    });
  }

  start(): void {
    void this.#reopenAfterReconnect();
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
        this.#messages = await this.#open();
        if (this.#stopping) this.#messages.stop();
        void this.#reopenWhenSilent(this.#messages);
        for await (const message of this.#messages) {
          if (this.#stopping || this.#asksAgain(message)) break;
          this.#take(message);
        }
        this.#messages.stop();
      } catch (error) {
        if (this.#stopping || this.#bus.nats.isClosed()) return;
        this.#bus.log.warn('stream follower interrupted', { stream: this.#name, error: error as Error });
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  /** A consumer that lives in the server's memory: gone after a restart, so it is made anew, after the last message seen. */
  async #open(): Promise<ConsumerMessages> {
    const { created, state } = await answered(this.#bus.manager.streams.info(this.#name));
    if (this.#isAnother(created, state.last_seq)) {
      this.#bus.log.warn('followed stream was made anew', { stream: this.#name, lastSeen: this.#lastSeen });
      this.#lastSeen = 0;
      this.#options.onGap?.();
    } else if (state.first_seq > (this.#lastSeen || this.#target) + 1) {
      this.#bus.log.warn('missed messages of a followed stream', { stream: this.#name, lastSeen: this.#lastSeen });
      this.#lastSeen = state.first_seq - 1;
      this.#options.onGap?.();
    }
    this.#created = created;
    const made = await answered(
      this.#bus.manager.consumers.add(this.#name, {
        ...this.#startingPoint(),
        ack_policy: AckPolicy.None,
        mem_storage: true,
        inactive_threshold: nanos(60_000),
      }),
    );
    if (made.num_pending === 0) this.#catchUp();
    const consumer = await answered(this.#bus.jetstream.consumers.get(this.#name, made.name));
    return consumer.consume({
      max_messages: 200,
      expires: pullMs,
      idle_heartbeat: heartbeatMs,
      abort_on_missing_resource: true,
    });
  }

  /**
   * Whether it is another stream than the one that was followed, whose numbers begin again. A replica that lags reports an earlier end of
   * the same one, and servers of 2.10 name the time at which they made, or last read, their own copy: neither alone says so. Before the
   * first message the time alone decides.
   */
  #isAnother(created: string, lastSeq: number): boolean {
    return created !== this.#created && (this.#lastSeen === 0 || lastSeq < this.#lastSeen);
  }

  #startingPoint() {
    const { from } = this.#options;
    const after = this.#lastSeen || (typeof from === 'object' && 'afterSeq' in from ? from.afterSeq : 0);
    if (after > 0) return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: after + 1 };
    if (from instanceof Date) return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: from.toISOString() };
    return { deliver_policy: DeliverPolicy.All };
  }

  /**
   * Whether a message before this one did not arrive: sent into a connection that broke, or between two servers of which one stood still, it
   * counts as delivered, and asking goes on behind it. It is asked for once more; a stream that then begins behind it has it no longer.
   */
  #asksAgain({ seq }: JsMsg): boolean {
    const isNext = this.#lastSeen === 0 || seq <= this.#lastSeen + 1;
    if (isNext) return false;
    this.#bus.log.warn('messages of a followed stream did not arrive', {
      stream: this.#name,
      lastSeen: this.#lastSeen,
      next: seq,
    });
    if (this.#askedAgainAfter !== this.#lastSeen) {
      this.#askedAgainAfter = this.#lastSeen;
      return true;
    }
    this.#options.onGap?.();
    return false;
  }

  #take(message: JsMsg): void {
    if (message.seq <= this.#lastSeen) return;
    // What was published again for one group of consumers, everybody who follows has seen.
    const event = isRedriven(message.headers) ? undefined : this.#bySubject.get(message.subject);
    const time = new Date(message.info.timestampNanos / 1_000_000);
    if (event) this.#hand(event, message, time);
    // Only now: a message whose handler threw is given to it again.
    this.#lastSeen = message.seq;
    if (message.seq >= this.#target || message.info.pending === 0) this.#catchUp();
  }

  #hand(event: DurableEvent, message: JsMsg, time: Date): void {
    const { part, onMessage } = this.#options;
    const { seq } = message;
    const read = (schema: z.ZodType, json: unknown): { data: unknown } | undefined => {
      const parsed = schema.safeParse(json);
      if (parsed.success) return parsed;
      this.#bus.log.error('followed event does not fit its schema', { event: event.name, seq });
      return undefined;
    };
    const found = read(part ?? event.data, jsonOf(message));
    if (found === undefined) return;
    const { data } = found;
    // A copy: the message is a part of what came over the socket with it.
    const bytes = part && Buffer.from(message.data);
    const whole = () => (bytes === undefined ? data : read(event.data, JSON.parse(String(bytes)))?.data);
    this.#inTrace(event, message, () => onMessage({ event, data, whole, seq, time }));
  }

  /** What was there before following began is history: its traces have ended. */
  #inTrace(event: DurableEvent, { headers, seq }: JsMsg, hand: () => void): void {
    const cause = headers?.get('traceparent');
    if (seq <= this.#target || !isRecordedTrace(cause)) hand();
    else {
      const attributes = { 'castellan.stream': this.#name, 'castellan.stream_sequence': seq };
      inSpanNow(`process ${event.name}`, { kind: SpanKind.CONSUMER, causes: [cause], attributes }, hand);
    }
  }

  /** A consumer that says nothing is on a server that does not answer, or its way is cut; another one is made elsewhere. */
  async #reopenWhenSilent(messages: ConsumerMessages): Promise<void> {
    for await (const { type } of await messages.status()) {
      if (type === ConsumerEvents.HeartbeatsMissed) messages.stop();
    }
  }

  /** What the server sent into a broken connection it counts as delivered. */
  async #reopenAfterReconnect(): Promise<void> {
    for await (const { type } of this.#bus.nats.status()) {
      if (this.#stopping) return;
      if (type === Events.Reconnect) this.#messages?.stop();
    }
  }
}

function jsonOf(message: JsMsg): unknown {
  try {
    return message.json();
  } catch {
    return undefined; // Not JSON: no schema accepts undefined, so it is reported as misfit.
  }
}
