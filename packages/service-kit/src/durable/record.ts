import { AuditRecorded, type DurableEvent, type EventData } from '@castellan/contracts';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import { defineCollection } from '../collection.ts';
import { isDuplicateKey } from '../mongo.ts';
import { currentRequestId, requestIdHeader } from '../request-context.ts';
import { traceHeaders } from '../tracing/span.ts';
import { type ClientSession, inTransaction, Overtaken } from '../transaction.ts';

/** An event to be published; the stream stores one `msgId` once. */
export type PendingEvent = { readonly event: DurableEvent; readonly data: unknown; readonly msgId: string };

/** An event with data of its own schema. */
export const pendingEvent = <E extends DurableEvent>(
  event: E,
  data: EventData<E>,
  { msgId }: { msgId: string },
): PendingEvent => ({ event, data, msgId });

/** A row for the audit log; its id is that of the message. */
export const pendingRow = (row: EventData<typeof AuditRecorded>): PendingEvent =>
  pendingEvent(AuditRecorded, row, { msgId: row.id });

/** A pending event as it is stored. */
export type OutboxDocument = {
  _id: string;
  event: string;
  data: unknown;
  headers: Record<string, string>;
  order: number;
};

/** The last place in the order that was given away. */
type OrderDocument = { _id: 'outbox'; last: number };

/** The events that belong to a write, or what makes them of its result. */
export type EventsOf<T> = readonly PendingEvent[] | ((result: NonNullable<T>) => readonly PendingEvent[]);

/**
 * Runs `write` and stores its events in one transaction: both are stored, or neither. `write` may run several times, and passes
 * `session` to each of its commands. When it returns false, null or undefined, nothing is stored.
 * @throws ZodError when an event breaks its schema; nothing is written then.
 */
export type RecordWith = <T>(events: EventsOf<T>, write: (session: ClientSession) => Promise<T>) => Promise<T>;

/** The outbox of a database. */
export const outboxEvents = defineCollection({
  name: 'outbox',
  kept: 'truth',
  about: 'Events that are to be published, in their order.',
  shape: z.custom<OutboxDocument>(),
  indexes: [{ keys: { order: 1 } }],
});

/** Counts the places of the outbox. */
export const outboxOrder = defineCollection({
  name: 'outbox_order',
  kept: 'truth',
  about: 'The last place in the order of the outbox that was given away.',
  shape: z.custom<OrderDocument>(),
});

/** Pending events in the collection `outbox`. */
export const outboxCollection = (connection: Connection) => outboxEvents.open(connection);

/** Places for events, each higher than all before, on whichever host: the store counts, from its own clock on. */
async function placesFor(connection: Connection, count: number): Promise<number> {
  const first = { $max: [{ $add: [{ $ifNull: ['$last', 0] }, 1] }, { $toLong: '$$NOW' }] };
  const given = await outboxOrder
    .open(connection)
    .findOneAndUpdate({ _id: 'outbox' }, [{ $set: { last: { $add: [first, count - 1] } } }], {
      upsert: true,
      returnDocument: 'after',
    });
  if (!given) throw new Error('The store returned no place in the order of the outbox.');
  return Number(given.last) - count + 1;
}

const parsed = ({ event, data, msgId }: PendingEvent): PendingEvent => ({ event, data: event.data.parse(data), msgId });

/** Stores events behind those that are pending; one that is pending already stays as it is. */
export async function storePending(
  connection: Connection,
  events: readonly PendingEvent[],
  session?: ClientSession,
): Promise<void> {
  if (events.length === 0) return;
  const valid = events.map(parsed);
  const requestId = currentRequestId();
  const headers = { ...traceHeaders(), ...(requestId ? { [requestIdHeader]: requestId } : {}) };
  const order = await placesFor(connection, valid.length);
  for (const [index, { event, data, msgId }] of valid.entries())
    await storeOnce(connection, { _id: msgId, event: event.name, data, headers, order: order + index }, session);
}

async function storeOnce(connection: Connection, document: OutboxDocument, session?: ClientSession): Promise<void> {
  const outbox = outboxCollection(connection);
  // In a transaction a refusal would undo the rest of it.
  if (session && (await outbox.findOne({ _id: document._id }, { session }))) return;
  try {
    await outbox.insertOne(document, session && { session });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    if (session) throw new Overtaken(error);
  }
}

/**
 * Writes documents and their events together.
 *
 * The place in the order is taken after the write: of two changes of one document the second one then has the later place, for it
 * was not written before the first was committed. Changes of different documents may be published in either order.
 * @param onStored - Called once events are pending.
 */
export function recorder(connection: Connection, onStored: () => void = () => undefined): RecordWith {
  // Declared now, so that their indexes are made when the service starts.
  for (const definition of [outboxEvents, outboxOrder]) definition.open(connection);
  let created: Promise<unknown> | undefined;
  const create = () => {
    created ??= Promise.all([outboxEvents.create(connection), outboxOrder.create(connection)]).catch(
      (error: unknown) => {
        created = undefined;
        throw error;
      },
    );
    return created;
  };
  return async (events, write) => {
    await create();
    if (typeof events !== 'function') events.forEach(parsed);
    const { result, isPending } = await inTransaction(connection, async (session) => {
      const result = await write(session);
      if (result === null || result === undefined || result === false) {
        await session.abortTransaction();
        return { result, isPending: false };
      }
      const pending = typeof events === 'function' ? events(result) : events;
      await storePending(connection, pending, session);
      return { result, isPending: pending.length > 0 };
    });
    if (isPending) onStored();
    return result;
  };
}
