import { DisplayNameChanged, type EventData, ViewOnlyChanged } from '@castellan/contracts';
import {
  type ClientSession,
  type Logger,
  moveToOutbox,
  type PendingEvent,
  pendingEvent,
  type RecordWith,
} from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { AuditEntry } from './models/collections.ts';

/** An audit row and an event, as the former version kept them in the changed document until both were stored. */
type FormerEntry = {
  id: string;
  /** Without a category of a version before. */
  audit: Omit<AuditEntry, 'id' | 'tx_hash' | 'category'> & Partial<Pick<AuditEntry, 'category'>>;
  event:
    | { name: 'view_only_changed'; data: EventData<typeof ViewOnlyChanged> }
    | { name: 'display_name_changed'; data: EventData<typeof DisplayNameChanged> };
};

type Deps = {
  mongo: Connection;
  auditLog: { append(entry: AuditEntry, session: ClientSession): Promise<void> };
  outbox: { recordWith: RecordWith };
  log: Logger;
};

const eventOf = ({ id, event }: FormerEntry): PendingEvent =>
  event.name === 'view_only_changed'
    ? pendingEvent(ViewOnlyChanged, event.data, { msgId: id })
    : pendingEvent(DisplayNameChanged, event.data, { msgId: id });

/** Stores the audit rows and events that the former version had not stored yet. */
export async function moveFormerEvents({ mongo, auditLog, outbox, log }: Deps): Promise<void> {
  for (const collection of ['view_only_grants', 'display_names'])
    await moveToOutbox<FormerEntry>(
      { connection: mongo, outbox, log },
      {
        collection,
        eventsOf: (entry) => [eventOf(entry)],
        write: ({ id, audit }, session) => auditLog.append({ id, category: 'write', tx_hash: null, ...audit }, session),
      },
    );
}
