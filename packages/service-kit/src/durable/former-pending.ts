import type { Connection, Types } from 'mongoose';
import { isInfrastructureFault } from '../infrastructure-fault.ts';
import type { Logger } from '../logger.ts';
import { untilAvailable } from '../patience.ts';
import type { ClientSession } from '../transaction.ts';
import type { PendingEvent, RecordWith } from './record.ts';

/** What the former version called the field in which a document kept its pending events. */
const field = 'owed';
const isPending = { [`${field}.id`]: { $exists: true } };

type Id = string | Types.ObjectId;
type FormerDocument = { _id: Id; [field]?: unknown };

/** Where the former version kept events of a collection that were not published yet, and how they are read. */
export type FormerPending<Entry> = {
  collection: string;
  /** The events of one entry of the field. */
  eventsOf: (entry: Entry) => readonly PendingEvent[];
  /** What else an entry stands for, written in the same transaction. */
  write?: (entry: Entry, session: ClientSession) => Promise<void>;
};

type Deps = { connection: Connection; outbox: { recordWith: RecordWith }; log: Logger };

/**
 * Moves the events that documents of the former version keep in themselves to the outbox, under the same ids: those that a process
 * which was killed had not published. What breaks its schema is logged and stays. For one release; waits for the store.
 */
export const moveToOutbox = <Entry>(deps: Deps, former: FormerPending<Entry>): Promise<void> =>
  untilAvailable('could not move pending events to the outbox yet', deps.log, async () => {
    const documents = deps.connection.collection<FormerDocument>(former.collection);
    for (const { _id } of await documents.find(isPending).project<{ _id: Id }>({ _id: 1 }).toArray())
      await moveOne(deps, former, _id);
    await documents.updateMany({ [field]: { $size: 0 } }, { $unset: { [field]: '' } });
  });

async function moveOne<Entry>(
  { connection, outbox, log }: Deps,
  { collection, eventsOf, write }: FormerPending<Entry>,
  _id: Id,
): Promise<void> {
  const documents = connection.collection<FormerDocument>(collection);
  try {
    await outbox.recordWith<Entry[] | null>(
      (entries) => entries.flatMap(eventsOf),
      async (session) => {
        const found = await documents.findOneAndUpdate(
          { _id, ...isPending },
          { $unset: { [field]: '' } },
          { session, returnDocument: 'before' },
        );
        if (!found) return null;
        const entries = [found[field]].flat() as Entry[];
        for (const entry of entries) await write?.(entry, session);
        return entries;
      },
    );
  } catch (error) {
    if (isInfrastructureFault(error)) throw error;
    log.error('could not move pending events to the outbox', { collection, id: String(_id), error: error as Error });
  }
}
