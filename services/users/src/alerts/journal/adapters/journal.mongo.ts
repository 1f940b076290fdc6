import { isDuplicateKey } from '@castellan/service-kit';
import type { FactEvent, JournalItem } from '../domain/journal.ts';
import type { JournalCollections } from '../models/collections.ts';

export type VaultKey = { chain_id: number; vault: string };
type Draft = { id: string; time: number; block: number | null; events: readonly FactEvent[] };

const plain = { projection: { _id: 0 } } as const;

/** What became known of each vault, in order: items are added and read, never changed. */
export class Journal {
  readonly #items: JournalCollections['journal'];
  #appended = 0;

  constructor({ journal }: Pick<JournalCollections, 'journal'>) {
    this.#items = journal;
  }

  /** Items that this process has added: once it has grown there is something to read. */
  get appended(): number {
    return this.#appended;
  }

  /** Adds an item behind the others unless its id is there; its time is not before theirs, nor before `clock`. */
  async append({ chain_id, vault }: VaultKey, draft: Draft, clock: number): Promise<void> {
    for (;;) {
      if (await this.#items.findOne({ chain_id, vault, id: draft.id })) return;
      const last = await this.#items.findOne({ chain_id, vault }, { sort: { n: -1 } });
      const time = Math.max(draft.time, clock, last?.time ?? 0);
      try {
        await this.#items.insertOne({
          chain_id,
          vault,
          ...draft,
          events: [...draft.events],
          time,
          n: (last?.n ?? 0) + 1,
        });
        this.#appended += 1;
        return;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }

  async after({ chain_id, vault }: VaultKey, n: number): Promise<JournalItem[]> {
    return this.#items
      .find({ chain_id, vault, n: { $gt: n } }, plain)
      .sort({ n: 1 })
      .toArray();
  }

  /** The figures of a vault, and what was taken back. */
  async figures({ chain_id, vault }: VaultKey): Promise<JournalItem[]> {
    return this.#items
      .find({ chain_id, vault, 'events.type': { $in: ['measured', 'rollback'] } }, plain)
      .sort({ n: 1 })
      .toArray();
  }

  first({ chain_id, vault }: VaultKey): Promise<JournalItem | null> {
    return this.#items.findOne({ chain_id, vault }, { sort: { n: 1 } });
  }
}
