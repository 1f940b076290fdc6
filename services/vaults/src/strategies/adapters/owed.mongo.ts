import { AlertSignalled, AuditRecorded } from '@castellan/contracts';
import type { Outbox } from '@castellan/service-kit';
import type { AuditEvent, Owed, StrategyCollections } from '../models.ts';

type Owing = { _id: string; owed: Owed[] };
const owingCollections = ['strategies', 'lanes', 'engines', 'simulations', 'kept'] as const;
export type OwingCollection = (typeof owingCollections)[number];

/** So many documents of each kind at most are paid in one go; the rest waits for the next. */
const PASS = 200;

export type Ledger = {
  /** Hands what a document owes to the outbox. Killed in between, the next pass does it again, under the same ids. */
  pay(name: OwingCollection, document: Owing): Promise<void>;
  payAll(): Promise<void>;
  /** A row that no document is left to owe. */
  add(row: AuditEvent): Promise<void>;
};

export function owedLedger(collections: StrategyCollections, outbox: Pick<Outbox, 'add'>): Ledger {
  const pay = async (name: OwingCollection, { _id, owed }: Owing) => {
    for (const event of owed) {
      if ('action_type' in event) await outbox.add(AuditRecorded, event, { msgId: event.id });
      else await outbox.add(AlertSignalled, event, { msgId: event.id });
      await collections[name].updateOne({ _id } as never, { $pull: { owed: { id: event.id } } } as never);
    }
  };
  return {
    pay,
    add: (row) => outbox.add(AuditRecorded, row, { msgId: row.id }),
    async payAll() {
      for (const name of owingCollections) {
        const found = (await collections[name]
          .find({ 'owed.id': { $exists: true } } as never)
          .project({ owed: 1 })
          .limit(PASS)
          .toArray()) as unknown as Owing[];
        for (const document of found) await pay(name, document);
      }
    },
  };
}
