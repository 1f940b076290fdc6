import { isDuplicateKey } from '@castellan/service-kit';
import type { FactEvent, JournalItem } from '../domain/journal.ts';
import type { JournalCollections } from '../models/collections.ts';

export type VaultKey = { chain_id: number; vault: string };
type Draft = { id: string; time: number; block: number | null; events: readonly FactEvent[] };

/** A stretch in Unix seconds, and names of figures. */
type Range = { from: number; to: number; keys: readonly string[] };

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

  /**
   * What a range is judged by of the figures of these names, and what was taken back: the newest `most` of them, from the last before
   * the range on that is known and was not taken back.
   */
  async figures({ chain_id, vault }: VaultKey, { from, to, keys }: Range, most: number): Promise<JournalItem[]> {
    const first = await this.#firstFigure({ chain_id, vault }, { from, keys });
    const read = keys.map((key) => [`values.${key}`, { $exists: true }]);
    const measured = { $elemMatch: { type: 'measured', at: { $lte: to }, ...Object.fromEntries(read) } };
    const values = Object.fromEntries(keys.map((key) => [`events.values.${key}`, 1]));
    const events = { 'events.type': 1, 'events.block': 1, 'events.at': 1, 'events.from_block': 1, ...values };
    const newest = await this.#items
      .find(
        {
          chain_id,
          vault,
          n: { $gte: first },
          // What was measured late is known of the range's blocks all the same.
          $or: [{ events: measured }, { time: { $lte: to }, 'events.type': 'rollback' }],
        },
        { projection: { _id: 0, n: 1, time: 1, block: 1, ...events } },
      )
      .sort({ n: -1 })
      .limit(most)
      .toArray();
    return newest.reverse();
  }

  /** Its place; 0 when there is none. */
  async #firstFigure({ chain_id, vault }: VaultKey, { from, keys }: Omit<Range, 'to'>): Promise<number> {
    const known = Object.fromEntries(keys.map((key) => [`values.${key}`, { $ne: null }]));
    let below: { n: number; block: number } | undefined;
    for (;;) {
      const found = await this.#items.findOne(
        {
          chain_id,
          vault,
          ...(below ? { n: { $lt: below.n }, block: { $lt: below.block } } : { block: { $ne: null } }),
          time: { $lte: from },
          events: { $elemMatch: { type: 'measured', ...known } },
        },
        { sort: { n: -1 }, projection: { n: 1, block: 1 } },
      );
      if (!found || found.block === null) return 0;
      const { n, block } = found;
      const events = { $elemMatch: { type: 'rollback', from_block: { $lte: block } } };
      const gone = await this.#items.findOne({ chain_id, vault, n: { $gt: n }, events });
      if (!gone) return n;
      below = { n, block };
    }
  }

  first({ chain_id, vault }: VaultKey): Promise<JournalItem | null> {
    return this.#items.findOne({ chain_id, vault }, { sort: { n: 1 } });
  }
}
