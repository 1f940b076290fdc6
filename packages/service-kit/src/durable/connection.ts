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
import { currentRequestId, requestIdHeader } from '../request-context.ts';
import { inSpan, SpanKind, traceHeaders } from '../tracing/span.ts';

export type DurableSettings = { url: string; namespace: string; service: string; log: Logger };

/** The connection durable events share. Reconnects for ever; what is published meanwhile fails and stays in the outbox. */
export type DurableBus = {
  readonly nats: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly namespace: string;
  readonly log: Logger;
};

export const streamNameOf = (namespace: string, { name }: StreamDefinition) => `${namespace}_${name}`;
export const subjectOf = (namespace: string, { stream, name }: DurableEvent) =>
  `${namespace}.durable.${stream.subject}.${name}`;
export const deadStreamOf = (namespace: string) => `${namespace}_DEAD`;
export const deadSubjectOf = (namespace: string, durable: string) => `${namespace}.dead.${durable}`;

export async function connectDurable({ url, namespace, service, log }: DurableSettings): Promise<DurableBus> {
  const nats = await connect({
    servers: [url],
    name: `castellan-${service}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: true,
  });
  const manager = await nats.jetstreamManager({ checkAPI: false });
  return { nats, jetstream: nats.jetstream(), manager, namespace, log };
}

const tenDaysSeconds = 10 * 86_400;

/** Creates the streams, or brings those that exist to their definition; every process does so when it starts. */
export async function defineStreams(bus: DurableBus, streams: readonly StreamDefinition[]): Promise<void> {
  const wanted = streams.map((stream) => ({
    name: streamNameOf(bus.namespace, stream),
    subjects: [`${bus.namespace}.durable.${stream.subject}.>`],
    max_age: nanos(stream.maxAgeSeconds * 1000),
  }));
  wanted.push({
    name: deadStreamOf(bus.namespace),
    subjects: [`${bus.namespace}.dead.>`],
    max_age: nanos(tenDaysSeconds * 1000),
  });
  for (const config of wanted) {
    try {
      await bus.manager.streams.add({ ...config, duplicate_window: nanos(120_000) });
    } catch (error) {
      const { api_error } = error as { api_error?: { err_code?: number } };
      if (api_error?.err_code !== 10058) throw error; // 10058: exists with another configuration
      await bus.manager.streams.update(config.name, config);
    }
  }
}

/**
 * Publishes one event and waits until the stream has stored it. The same `msgId` within two minutes is stored once.
 * @throws AppError SERVICE_UNAVAILABLE when the stream does not acknowledge.
 */
export async function publishDurable<E extends DurableEvent>(
  bus: DurableBus,
  event: E,
  data: EventData<E>,
  options: { msgId: string; headers?: Readonly<Record<string, string>> },
): Promise<{ seq: number; duplicate: boolean }> {
  const parsed = event.data.parse(data);
  const subject = subjectOf(bus.namespace, event);
  return inSpan(`publish ${event.name}`, { kind: SpanKind.PRODUCER }, async () => {
    const carried = natsHeaders();
    const requestId = currentRequestId();
    const own = { ...traceHeaders(), ...(requestId ? { [requestIdHeader]: requestId } : {}), ...options.headers };
    for (const [name, value] of Object.entries(own)) carried.set(name, value);
    try {
      return await bus.jetstream.publish(subject, JSON.stringify(parsed), {
        msgID: options.msgId,
        headers: carried,
        timeout: 5000,
      });
    } catch (error) {
      throw new AppError('SERVICE_UNAVAILABLE', `The event ${event.name} could not be stored yet.`, { cause: error });
    }
  });
}
