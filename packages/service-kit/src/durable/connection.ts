import type { DurableEvent, EventData, StreamDefinition } from '@castellan/contracts';
import { AppError } from '@castellan/contracts';
import {
  connect,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
  nanos,
  headers as natsHeaders,
} from 'nats';
import type { Logger } from '../logger.ts';
import type { Registry } from '../metrics.ts';
import { natsOptions } from '../nats-options.ts';
import { untilAvailable } from '../patience.ts';
import { currentRequestId, requestIdHeader } from '../request-context.ts';
import { type Carrier, inSpan, SpanKind, traceHeaders } from '../tracing/span.ts';
import { createDurableMetrics, type DurableMetrics } from './telemetry.ts';

export type DurableSettings = {
  url: string;
  namespace: string;
  service: string;
  log: Logger;
  registry?: Registry;
  /** Copies kept of each stream; more than 1 needs a NATS cluster. */
  replicas?: number;
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
};

export const streamNameOf = (namespace: string, { name }: StreamDefinition) => `${namespace}_${name}`;
export const subjectOf = (namespace: string, { stream, name }: DurableEvent) =>
  `${namespace}.durable.${stream.subject}.${name}`;
export const deadStreamOf = (namespace: string) => `${namespace}_DEAD`;
export const deadSubjectOf = (namespace: string, durable: string) => `${namespace}.dead.${durable}`;

/** Connects for durable events; waits until the server is there. */
export async function connectDurable(settings: DurableSettings): Promise<DurableBus> {
  const { url, namespace, service, log, registry, replicas = 1 } = settings;
  const nats = await connect({ ...natsOptions(url), name: `castellan-${service}` });
  const manager = await nats.jetstreamManager({ checkAPI: false });
  const metrics = registry && createDurableMetrics(registry);
  return { nats, jetstream: nats.jetstream(), manager, namespace, log, metrics, replicas };
}

const duplicateWindowMs = 120_000;
/** An acknowledgement takes milliseconds; one lost with a connection is asked for again, which the message id makes safe. */
const ackTimeoutMs = 2000;
const streamExistsOtherwise = 10058;

/** Creates the streams, or brings those that exist to their definition; every process does so when it starts. */
export async function defineStreams(bus: DurableBus, streams: readonly StreamDefinition[]): Promise<void> {
  const wanted = streams.map((stream) => ({
    name: streamNameOf(bus.namespace, stream),
    subjects: [`${bus.namespace}.durable.${stream.subject}.>`],
    max_age: nanos(stream.maxAgeSeconds * 1000),
    num_replicas: bus.replicas ?? 1,
  }));
  wanted.push({
    name: deadStreamOf(bus.namespace),
    subjects: [`${bus.namespace}.dead.>`],
    // Kept until somebody has dealt with them.
    max_age: 0,
    num_replicas: bus.replicas ?? 1,
  });
  for (const config of wanted)
    await untilAvailable('could not define a stream yet', bus.log, async () => {
      try {
        await bus.manager.streams.add({
          ...config,
          duplicate_window: Math.min(nanos(duplicateWindowMs), config.max_age || nanos(duplicateWindowMs)),
        });
      } catch (error) {
        const { api_error } = error as { api_error?: { err_code?: number } };
        if (api_error?.err_code !== streamExistsOtherwise) throw error;
        await bus.manager.streams.update(config.name, config);
      }
    });
}

export type PublishOptions = {
  msgId: string;
  /** Where the event comes from when that is not the work at hand: its `traceparent` and request id. */
  headers?: Readonly<Carrier>;
};

/**
 * Publishes one event and waits until the stream has stored it. The same `msgId` within two minutes is stored once.
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
  return inSpan(`publish ${event.name}`, { kind: SpanKind.PRODUCER, from: options.headers }, async () => {
    const carried = natsHeaders();
    const requestId = currentRequestId();
    const own = { ...(requestId ? { [requestIdHeader]: requestId } : {}), ...options.headers, ...traceHeaders() };
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
