import type { DurableEvent, EventData, StreamDefinition } from '@castellan/contracts';
import { AppError, deadLetterDiskPercent, definerOf, readersOf } from '@castellan/contracts';
import {
  connect,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
  nanos,
  headers as natsHeaders,
} from 'nats';
import { deadLetterDefiner, deadStreamOf, streamNameOf, subjectOf } from '../bus-subjects.ts';
import { isRestricted, jetStreamPrefixOf } from '../bus-users.ts';
import type { Logger } from '../logger.ts';
import type { Registry } from '../metrics.ts';
import { natsOptions } from '../nats-options.ts';
import { untilAvailable } from '../patience.ts';
import { currentRequestId, requestIdHeader } from '../request-context.ts';
import { type Carrier, inSpan, SpanKind, traceHeaders } from '../tracing/span.ts';
import { definePlace } from './place.ts';
import { createDurableMetrics, type DurableMetrics } from './telemetry.ts';

/** How a service connects to JetStream. */
export type DurableSettings = {
  url: string;
  namespace: string;
  service: string;
  log: Logger;
  registry?: Registry;
  /** Copies kept of each stream; more than 1 needs a NATS cluster. */
  replicas?: number;
  /** What all streams together may take on each server, in megabytes; without it what the server has. */
  streamsMaxMb?: number | undefined;
};

/** The connection durable events share. Reconnects for ever; what is published meanwhile fails and stays in the outbox. */
export type DurableBus = {
  readonly nats: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly namespace: string;
  readonly log: Logger;
  readonly metrics?: DurableMetrics | undefined;
  readonly replicas?: number;
  readonly streamsMaxMb?: number | undefined;
  /** Who this is to the server; undefined where it has no users. */
  readonly user?: string | undefined;
};

/** Connects for durable events; waits until the server is there. */
export async function connectDurable(settings: DurableSettings): Promise<DurableBus> {
  const { url, namespace, service, log, registry, replicas = 1, streamsMaxMb } = settings;
  const options = natsOptions(url);
  const nats = await connect({ ...options, name: `castellan-${service}` });
  const apiPrefix = jetStreamPrefixOf(options.user);
  const manager = await nats.jetstreamManager({ checkAPI: false, apiPrefix });
  const metrics = registry && createDurableMetrics(registry);
  return {
    nats,
    jetstream: nats.jetstream({ apiPrefix }),
    manager,
    namespace,
    log,
    metrics,
    replicas,
    streamsMaxMb,
    user: options.user,
  };
}

/**
 * How long a stream knows the ids of its messages. Longer than an outage of the store or of a process: what was published just before,
 * and not noted as published, is published again when it ends. The server keeps the ids in memory, about 100 bytes each.
 */
const duplicateWindowMs = 15 * 60_000;
/** An acknowledgement takes milliseconds; one lost with a connection is asked for again, which the message id makes safe. */
const ackTimeoutMs = 2000;
const streamExistsOtherwise = 10058;

const noSuchStream = 10_059;

const errorNumberOf = (error: unknown): number | undefined =>
  (error as { api_error?: { err_code?: number } }).api_error?.err_code;

/** Whether this user may create a stream and change its settings. */
export const mayDefine = ({ user }: Pick<DurableBus, 'user'>, stream: StreamDefinition): boolean =>
  isDefiner(user, definerOf(stream));

const isDefiner = (user: string | undefined, definer: string | undefined): boolean =>
  user === undefined || user === definer || !isRestricted(user);

/**
 * Creates the streams, or brings those that exist to their definition; every process does so when it starts. On a bus with
 * permissions the service that the contracts name does, and the others wait for it.
 */
export async function defineStreams(bus: DurableBus, streams: readonly StreamDefinition[]): Promise<void> {
  const wanted = streams.map((stream) => ({
    name: streamNameOf(bus.namespace, stream),
    subjects: [`${bus.namespace}.durable.${stream.subject}.>`],
    max_age: nanos(stream.maxAgeSeconds * 1000),
    max_bytes: maxBytesOf(bus, stream.diskPercent),
    isOwn: mayDefine(bus, stream),
    readers: bus.user === undefined ? [] : readersOf(stream),
  }));
  // Its own before it waits for those of others, who may be waiting for these.
  for (const { isOwn, readers, ...settings } of wanted) {
    if (!isOwn) continue;
    await defineStream(bus, settings);
    for (const reader of readers) await definePlace(bus, settings.name, { durable: reader, ...readerPlace });
  }
  // Kept until an operator has dealt with them. A consumer without the stream waits when it has a dead letter to store.
  const dead = {
    name: deadStreamOf(bus.namespace),
    subjects: [`${bus.namespace}.dead.>`],
    max_age: 0,
    max_bytes: maxBytesOf(bus, deadLetterDiskPercent),
  };
  if (isDefiner(bus.user, deadLetterDefiner)) await defineStream(bus, dead);
  for (const { isOwn, name } of wanted) if (!isOwn) await streamDefined(bus, name);
}

/** A reader is another's program, perhaps far away: it has longer to take a message than a service of ours. */
const readerPlace = { ackWaitMs: 30_000, concurrency: 1 };

type StreamSettings = { name: string; subjects: string[]; max_age: number; max_bytes: number };

const unlimited = -1;

const maxBytesOf = ({ streamsMaxMb }: DurableBus, percent: number): number =>
  streamsMaxMb === undefined ? unlimited : Math.floor((streamsMaxMb * 1_000_000 * percent) / 100);

const defineStream = (bus: DurableBus, settings: StreamSettings): Promise<void> =>
  untilAvailable('could not define a stream yet', bus.log, async () => {
    const duplicate_window = Math.min(nanos(duplicateWindowMs), settings.max_age || nanos(duplicateWindowMs));
    // A full stream refuses what is new, which waits in its outbox: to discard what is old would lose what somebody has not read.
    const config = { ...settings, discard: DiscardPolicy.New, duplicate_window, num_replicas: bus.replicas ?? 1 };
    try {
      await bus.manager.streams.add(config);
    } catch (error) {
      if (errorNumberOf(error) !== streamExistsOtherwise) throw error;
      config.max_bytes = await safeMaxBytes(bus, settings);
      await bus.manager.streams.update(config.name, config);
    }
    if (config.max_bytes !== unlimited) bus.metrics?.streamMaxBytes.set({ stream_name: config.name }, config.max_bytes);
  });

/** The wanted limit, unless the stream holds more, or nearly: the server would remove what is above it, read or not. */
async function safeMaxBytes({ manager, log }: DurableBus, { name, max_bytes }: StreamSettings): Promise<number> {
  const { state, config } = await manager.streams.info(name);
  if (max_bytes === unlimited || state.bytes < 0.9 * max_bytes) return max_bytes;
  log.warn('stream keeps its limit, for it holds more than it may', { stream: name, holds: state.bytes, max_bytes });
  return config.max_bytes;
}

const streamDefined = (bus: DurableBus, name: string): Promise<void> =>
  untilAvailable('stream is not defined yet', bus.log, async () => {
    try {
      await bus.manager.streams.info(name);
    } catch (error) {
      if (errorNumberOf(error) !== noSuchStream) throw error;
      throw new AppError('SERVICE_UNAVAILABLE', `The stream ${name} is not there yet.`, { cause: error });
    }
  });

/**
 * Sends an event without waiting for its stream, to those who hear it. The stream may take it as well; published again under its
 * `msgId`, it is the same message.
 */
export function sendDurable<E extends DurableEvent>(
  bus: DurableBus,
  event: E,
  data: EventData<E>,
  { msgId }: Pick<PublishOptions, 'msgId'>,
): void {
  const carried = natsHeaders();
  carried.set('Nats-Msg-Id', msgId);
  bus.nats.publish(subjectOf(bus.namespace, event), JSON.stringify(event.data.parse(data)), { headers: carried });
}

/** `msgId` makes publishing idempotent. */
export type PublishOptions = {
  msgId: string;
  /** Where the event comes from when that is not the work at hand: its `traceparent` and request id. */
  headers?: Readonly<Carrier>;
  /** Where it comes from instead, when that is what was stored: `traceparent` of each entry that it is about. */
  causes?: readonly string[] | undefined;
};

/**
 * Publishes one event and waits until the stream has stored it. The same `msgId` within 15 minutes is stored once.
 * @throws AppError SERVICE_UNAVAILABLE when the stream does not acknowledge; ZodError when `data` breaks its schema;
 * RangeError when it is larger than the server takes. Only the first may succeed later.
 */
export async function publishDurable<E extends DurableEvent>(
  bus: DurableBus,
  event: E,
  data: EventData<E>,
  options: PublishOptions,
): Promise<{ seq: number; duplicate: boolean }> {
  const payload = new TextEncoder().encode(JSON.stringify(event.data.parse(data)));
  const limit = bus.nats.info?.max_payload;
  if (limit !== undefined && payload.length > limit)
    throw new RangeError(`${event.name} has ${payload.length} bytes; the bus takes ${limit}.`);
  const subject = subjectOf(bus.namespace, event);
  const { headers: from, causes } = options;
  return inSpan(`publish ${event.name}`, { kind: SpanKind.PRODUCER, from, causes }, async () => {
    const carried = natsHeaders();
    const requestId = currentRequestId();
    const own = { ...(requestId ? { [requestIdHeader]: requestId } : {}), ...from, ...traceHeaders() };
    for (const [name, value] of Object.entries(own)) carried.set(name, value);
    try {
      const { seq, duplicate } = await bus.jetstream.publish(subject, payload, {
        msgID: options.msgId,
        headers: carried,
        timeout: ackTimeoutMs,
      });
      bus.metrics?.published.inc({ event: event.name, outcome: 'stored' });
      return { seq, duplicate };
    } catch (error) {
      bus.metrics?.published.inc({ event: event.name, outcome: 'failed' });
      throw new AppError('SERVICE_UNAVAILABLE', `The event ${event.name} could not be stored yet.`, { cause: error });
    }
  });
}
