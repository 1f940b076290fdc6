import { AuditRecorded } from '@castellan/contracts';
import type { Logger, Outbox } from '@castellan/service-kit';
import type { FeedCollections, StoredItem } from '../models/feed-collections.ts';

const sweepMs = 2_000;

type Deps = { collections: Pick<FeedCollections, 'items'>; outbox: Pick<Outbox, 'add'>; log: Logger };

/** Pays the audit rows that writes of posts owe. Each is found by its own id, so that paying it again changes nothing. */
export class PostLedger {
  readonly #deps: Deps;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  start(): void {
    const sweep = () => {
      this.settleAll()
        .catch((error: Error) => this.#deps.log.warn('owed audit rows wait', { error }))
        .finally(() => {
          this.#timer = setTimeout(sweep, sweepMs);
        });
    };
    sweep();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Pays everything that is owed, for instance by a process that was killed. */
  async settleAll(): Promise<void> {
    const owing = await this.#deps.collections.items.find({ 'owed.id': { $exists: true } }).toArray();
    for (const item of owing) await this.settle(item);
  }

  async settle({ _id, owed }: Pick<StoredItem, '_id' | 'owed'>): Promise<void> {
    for (const row of owed) {
      await this.#deps.outbox.add(AuditRecorded, row, { msgId: row.id });
      await this.#deps.collections.items.updateOne({ _id }, { $pull: { owed: { id: row.id } } });
    }
  }
}
