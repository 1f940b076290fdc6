import type { DurableEvent } from '@castellan/contracts';
import { type JsMsg, headers as natsHeaders } from 'nats';
import { deadSubjectOf } from '../bus-subjects.ts';
import { isInfrastructureFault } from '../infrastructure-fault.ts';
import { requestIdHeader, withRequestId } from '../request-context.ts';
import { type Carrier, inSpan, SpanKind, traceHeaders } from '../tracing/span.ts';
import type { DurableBus } from './connection.ts';
import { isRedrivenForAnother } from './dead-letters.ts';
import type { Delivery, Handler } from './handler.ts';

/** A message that is given up, and why. */
export type Dead = {
  event: DurableEvent;
  /** A single line. */
  reason: string;
  subject: string;
  /** The event as it was published. */
  data: Uint8Array;
  /** The message's headers. */
  carrier: Carrier;
  seq: number;
  deliveries: number;
};

/** Keeps what is given up. */
export type Bury = (dead: Dead) => Promise<void>;

/** What settling needs to know of its consumer. */
export type SettleContext = {
  bus: DurableBus;
  durable: string;
  handlers: ReadonlyMap<string, Handler<DurableEvent>>;
  backoffMs: readonly number[];
  /** How often a handler itself failed, by sequence number: deliveries during an outage do not count. */
  failures: Map<number, number>;
  heartbeatMs: number;
  bury: Bury;
  onDead: ((reason: string) => void) | undefined;
};

const longestReason = 500;
/** Waits while the infrastructure is away grow to this and stay there: what returns is used within seconds. */
const longestOutageWaitMs = 5000;
const firstOutageWaitMs = 200;

/** Brings one delivery to its end: handled, to be delivered again, or a dead letter. Never drops it. */
export async function settle(context: SettleContext, message: JsMsg): Promise<void> {
  const { bus, durable, handlers, heartbeatMs } = context;
  const handler = handlers.get(message.subject);
  const carrier = carrierOf(message);
  if (!handler || isRedrivenForAnother(carrier, durable)) {
    message.ack();
    return;
  }
  const working = setInterval(() => message.working(), heartbeatMs);
  try {
    const requestId = carrier[requestIdHeader] ?? deliveryOf(message, carrier).msgId;
    await withRequestId(requestId, () =>
      inSpan(`process ${handler.event.name}`, { kind: SpanKind.CONSUMER, from: carrier }, async () => {
        const stop = bus.metrics?.handling.startTimer({ durable, event: handler.event.name });
        const outcome = await attempt(context, handler, message, carrier);
        stop?.({ outcome });
      }),
    );
    bus.metrics?.pending.set({ durable }, message.info.pending);
  } finally {
    clearInterval(working);
  }
}

async function attempt(
  context: SettleContext,
  handler: Handler<DurableEvent>,
  message: JsMsg,
  carrier: Carrier,
): Promise<'ok' | 'retry' | 'dead'> {
  const { bus, durable } = context;
  const parsed = handler.event.data.safeParse(parseJson(message));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    await giveUp(
      context,
      handler.event,
      message,
      `does not fit its schema: ${issue?.path.join('.')} ${issue?.message}`,
    );
    return 'dead';
  }
  const delivery = deliveryOf(message, carrier);
  try {
    await handler.handle(parsed.data, delivery);
  } catch (error) {
    const waitMs = waitAfter(context, error, delivery);
    if (waitMs === undefined) {
      await giveUp(context, handler.event, message, error instanceof Error ? error.message : String(error));
      return 'dead';
    }
    const { name } = handler.event;
    const { seq, deliveryCount } = delivery;
    bus.log.warn('event will be handled again', { durable, event: name, seq, deliveryCount, waitMs, error });
    message.nak(waitMs);
    return 'retry';
  }
  context.failures.delete(delivery.seq);
  message.ack();
  return 'ok';
}

/** @returns how long to wait before the next delivery, or undefined when the message itself is what fails. */
function waitAfter({ backoffMs, failures }: SettleContext, error: unknown, delivery: Delivery): number | undefined {
  if (isInfrastructureFault(error))
    return Math.min(firstOutageWaitMs * 2 ** (delivery.deliveryCount - 1), longestOutageWaitMs);
  const failed = (failures.get(delivery.seq) ?? 0) + 1;
  failures.set(delivery.seq, failed);
  return backoffMs[failed - 1];
}

/** Has the message kept, and settles it only then. */
async function giveUp(context: SettleContext, event: DurableEvent, message: JsMsg, why: string): Promise<void> {
  const { bus, durable, bury, onDead } = context;
  const { streamSequence: seq, deliveryCount: deliveries } = message.info;
  // Headers are single lines.
  const reason = why.replace(/\s+/g, ' ').slice(0, longestReason);
  bus.log.error('event went to the dead letters', {
    durable,
    event: event.name,
    seq,
    deliveryCount: deliveries,
    reason,
  });
  const { subject, data } = message;
  await bury({ event, reason, subject, data, carrier: carrierOf(message), seq, deliveries });
  bus.metrics?.dead.inc({ durable, event: event.name });
  onDead?.(reason);
  context.failures.delete(seq);
  message.ack();
}

/** Keeps what is given up in the stream of dead letters, with all that is needed to repeat it by hand. */
export const deadLetterStream =
  (bus: DurableBus, stream: string, durable: string): Bury =>
  async ({ reason, subject, data, carrier, seq, deliveries }) => {
    const headers = natsHeaders();
    const facts = {
      ...carrier,
      ...traceHeaders(),
      'Castellan-Dead-Reason': reason,
      'Castellan-Dead-Subject': subject,
      'Castellan-Dead-Stream': stream,
      'Castellan-Dead-Sequence': String(seq),
      'Castellan-Dead-Deliveries': String(deliveries),
    };
    for (const [name, value] of Object.entries(facts)) headers.set(name, value);
    await bus.jetstream.publish(deadSubjectOf(bus.namespace, durable), data, {
      msgID: `${stream}:${durable}:${seq}`,
      headers,
    });
  };

function carrierOf(message: JsMsg): Carrier {
  const carrier: Carrier = {};
  for (const [name, values] of message.headers ?? []) carrier[name] = values[0] ?? '';
  return carrier;
}

function deliveryOf(message: JsMsg, carrier: Carrier): Delivery {
  const { streamSequence: seq, deliveryCount, timestampNanos } = message.info;
  const publishedAt = new Date(timestampNanos / 1_000_000);
  return { seq, msgId: carrier['Nats-Msg-Id'] ?? String(seq), deliveryCount, publishedAt };
}

function parseJson(message: JsMsg): unknown {
  try {
    return message.json();
  } catch {
    return undefined; // Not JSON: no schema accepts undefined, so it is buried with that reason.
  }
}
