import { AlertSignalled, AuditRecorded } from '@castellan/contracts';
import type { Outbox } from '@castellan/service-kit';
import type { AuditEvent, Owed } from '../domain/strategy.ts';
import type { StrategyCollections } from '../models.ts';

type Owing = { _id: string; owed: Owed[] };
const owingCollections = ['strategies', 'lanes', 'engines', 'simulations'] as const;
export type OwingCollection = (typeof owingCollections)[number];

/** So many documents of each kind at most are paid in one go; the rest waits for the next. */
const PASS = 200;

/** Documents that hold events until these wait in the outbox. */
export type PendingEvents = {
  pending(most: number): Promise<Owing[]>;
  /** The event waits in the outbox. */
  handedOver(id: string, eventId: string): Promise<void>;
};

type Documents = {
  find(filter: object): {
    project(fields: object): { limit(count: number): { toArray(): Promise<Owing[]> } };
  };
  updateOne(filter: object, update: object): Promise<unknown>;
};

/** The events in the field `owed` of a collection's documents. */
export function pendingEventsOf(collection: unknown): PendingEvents {
  const documents = collection as Documents;
  return {
    pending: (most) =>
      documents
        .find({ 'owed.id': { $exists: true } })
        .project({ owed: 1 })
        .limit(most)
        .toArray(),
    async handedOver(id, eventId) {
      await documents.updateOne({ _id: id }, { $pull: { owed: { id: eventId } } });
    },
  };
}

export type Ledger = {
  /** Hands what a document owes to the outbox. Killed in between, the next pass does it again, under the same ids. */
  pay(name: OwingCollection, document: Owing): Promise<void>;
  payAll(): Promise<void>;
  /** A row that no document is left to owe. */
  add(row: AuditEvent): Promise<void>;
};

/** @param others - Of processes that share the database and have no outbox of their own. */
export function owedLedger(
  collections: StrategyCollections,
  outbox: Pick<Outbox, 'add'>,
  others: readonly PendingEvents[] = [],
): Ledger {
  const own = Object.fromEntries(owingCollections.map((name) => [name, pendingEventsOf(collections[name])])) as Record<
    OwingCollection,
    PendingEvents
  >;
  const hand = async (from: PendingEvents, { _id, owed }: Owing) => {
    for (const event of owed) {
      if ('action_type' in event) await outbox.add(AuditRecorded, event, { msgId: event.id });
      else await outbox.add(AlertSignalled, event, { msgId: event.id });
      await from.handedOver(_id, event.id);
    }
  };
  return {
    pay: (name, document) => hand(own[name], document),
    add: (row) => outbox.add(AuditRecorded, row, { msgId: row.id }),
    async payAll() {
      for (const from of [...owingCollections.map((name) => own[name]), ...others])
        for (const document of await from.pending(PASS)) await hand(from, document);
    },
  };
}
