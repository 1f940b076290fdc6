import type { DurableEvent, EventData } from '@castellan/contracts';
import { type connectMongo, type PendingEvent, pendingEvent, type RecordWith, recorder } from '@castellan/service-kit';

type Connection = Awaited<ReturnType<typeof connectMongo>>;
/** An event that became pending, as the bus would get it. */
export type PublishedEvent = { event: string; data: Record<string, unknown>; msgId: string };

type Stored = { _id: string; event: string; data: Record<string, unknown>; order: number };

/** The outbox of a service without the bus. */
export type StoredOutbox = {
  recordWith: RecordWith;
  add<E extends DurableEvent>(event: E, data: EventData<E>, options: { msgId: string }): Promise<void>;
  /** All that became pending, each id once, in order. */
  published(): Promise<PublishedEvent[]>;
  /** One whose process is killed after each change, before the commit. */
  killed: { recordWith: RecordWith };
};

/** Stores changes and events as the real outbox does, on the test's database; nothing takes the events away. */
export function storedOutbox(connection: Connection): StoredOutbox {
  const recordWith = recorder(connection);
  const addAll = (events: readonly PendingEvent[]) => recordWith(events, () => Promise.resolve(true));
  return {
    recordWith,
    add: async (event, data, options) => {
      await addAll([pendingEvent(event, data, options)]);
    },
    published: async () => {
      const stored = await connection.collection<Stored>('outbox').find().sort({ order: 1 }).toArray();
      return stored.map(({ _id, event, data }) => ({ event, data, msgId: _id }));
    },
    killed: {
      recordWith: (events, write) =>
        recordWith(events, async (session) => {
          await write(session);
          throw new Error('killed');
        }),
    },
  };
}
