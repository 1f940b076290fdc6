import type { DurableEvent, StreamDefinition } from '@castellan/contracts';
import { AckPolicy, type ConsumerMessages, DeliverPolicy, Events, nanos } from 'nats';
import { type DurableBus, streamNameOf, subjectOf } from './connection.ts';

export type Followed = { event: DurableEvent; data: unknown; seq: number; time: Date };

export type FollowOptions = {
  stream: StreamDefinition;
  events: readonly DurableEvent[];
  /** From the stream's first message, or from a time on. */
  from: 'start' | Date;
  onMessage: (message: Followed) => void;
};

export type Following = {
  /** Resolves once everything that was stored when following began has been seen. */
  readonly caughtUp: Promise<void>;
  stop(): Promise<void>;
};

/**
 * Reads a stream in order, once in this process, without acknowledging: every process sees every message. Survives the
 * server's restart and goes on after the last message it saw.
 */
export async function followStream(
  bus: DurableBus,
  { stream, events, from, onMessage }: FollowOptions,
): Promise<Following> {
  const name = streamNameOf(bus.namespace, stream);
  const bySubject = new Map(events.map((event) => [subjectOf(bus.namespace, event), event]));
  let stopping = false;
  let messages: ConsumerMessages | undefined;
  let lastSeen = 0;
  let caught: () => void = () => undefined;
  const caughtUp = new Promise<void>((resolve) => {
    caught = resolve;
  });
  const { last_seq: target } = (await bus.manager.streams.info(name)).state;

  // A consumer that lives in the server's memory: gone after a restart, so it is made anew, after the last message seen.
  const open = async () => {
    const start =
      lastSeen > 0
        ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: lastSeen + 1 }
        : from === 'start'
          ? { deliver_policy: DeliverPolicy.All }
          : { deliver_policy: DeliverPolicy.StartTime, opt_start_time: from.toISOString() };
    const made = await bus.manager.consumers.add(name, {
      ...start,
      ack_policy: AckPolicy.None,
      mem_storage: true,
      inactive_threshold: nanos(60_000),
    });
    if (made.num_pending === 0) caught();
    const consumer = await bus.jetstream.consumers.get(name, made.name);
    return consumer.consume({ max_messages: 200, expires: 10_000, abort_on_missing_resource: true });
  };
  const reopenAfterReconnect = async () => {
    for await (const { type } of bus.nats.status()) if (type === Events.Reconnect) messages?.stop();
  };

  const run = async () => {
    while (!stopping && !bus.nats.isClosed()) {
      try {
        messages = await open();
        for await (const message of messages) {
          lastSeen = message.seq;
          const event = bySubject.get(message.subject);
          const parsed = event?.data.safeParse(message.json());
          if (event && parsed?.success) {
            onMessage({
              event,
              data: parsed.data,
              seq: message.seq,
              time: new Date(message.info.timestampNanos / 1_000_000),
            });
          } else if (event)
            bus.log.error('followed event does not fit its schema', { event: event.name, seq: message.seq });
          if (message.seq >= target) caught();
          if (stopping) break;
        }
      } catch (error) {
        if (stopping) return;
        bus.log.warn('stream follower interrupted', { stream: name, error: error as Error });
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  };
  void reopenAfterReconnect();
  const done = run();
  return {
    caughtUp,
    stop: async () => {
      stopping = true;
      messages?.stop();
      await done;
    },
  };
}
