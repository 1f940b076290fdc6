import { newState, type VaultState } from '../domain/vault-state.ts';
import type { FeedCollections, StoredFeedCursor, StoredState } from '../models/feed-collections.ts';

/** A reorganisation deeper than this makes the log be read from its beginning. */
const keptBlocks = 10_000;

export type Snapshot = { vault: string; seq: number; block: number; state: VaultState };
/** How far a chain was read, and what its states are kept for. */
export type Cursor = { afterSeq: number; keptFrom: number; keepUntil: number };

/** How far a chain was read, and what its vaults were in at each block, for a rollback to go back to. */
export class FeedStates {
  readonly #collections: Pick<FeedCollections, 'states' | 'cursors'>;
  readonly #chainId: number;

  constructor(collections: Pick<FeedCollections, 'states' | 'cursors'>, chainId: number) {
    this.#collections = collections;
    this.#chainId = chainId;
  }

  async cursor(): Promise<Cursor> {
    const stored = await this.#collections.cursors.findOneAndUpdate(
      { _id: this.#chainId },
      { $setOnInsert: { after_seq: 0, kept_from: 0, keep_until: 0 } },
      { upsert: true, returnDocument: 'after' },
    );
    const { after_seq, kept_from, keep_until } = stored as StoredFeedCursor;
    return { afterSeq: after_seq, keptFrom: kept_from, keepUntil: keep_until };
  }

  /** The state of a vault before the entry `seq`, as it was known then. */
  async before(vault: string, seq: number): Promise<VaultState> {
    const standing = { $or: [{ voided_by: null }, { voided_by: { $gte: seq } }] };
    const query = { chain_id: this.#chainId, vault, seq: { $lt: seq }, ...standing };
    return (await this.#collections.states.findOne(query, { sort: { seq: -1 } }))?.state ?? newState;
  }

  async save(snapshots: readonly Snapshot[]): Promise<void> {
    if (snapshots.length === 0) return;
    const writes = snapshots.map(({ vault, seq, block, state }) => {
      const _id = `${this.#chainId}:${vault}:${seq}`;
      const fields: Omit<StoredState, '_id'> = { chain_id: this.#chainId, vault, seq, block, state, voided_by: null };
      return { updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true } };
    });
    await this.#collections.states.bulkWrite(writes, { ordered: false });
  }

  async void({ fromBlock, by }: { fromBlock: number; by: number }): Promise<void> {
    const query = { chain_id: this.#chainId, block: { $gte: fromBlock }, seq: { $lt: by }, voided_by: null };
    await this.#collections.states.updateMany(query, { $set: { voided_by: by } });
  }

  /**
   * Moves on, unless another process did meanwhile, and deletes states that no rollback reaches any more.
   * @returns where it is now; undefined when another process has moved it.
   */
  async advance(
    from: Cursor,
    to: { seq: number; block: number; vaults: readonly string[] },
  ): Promise<Cursor | undefined> {
    const keptFrom = to.seq <= from.keepUntil ? 0 : Math.max(0, to.block - keptBlocks);
    const moved = await this.#collections.cursors.updateOne(
      { _id: this.#chainId, after_seq: from.afterSeq },
      { $set: { after_seq: to.seq }, $max: { kept_from: keptFrom } },
    );
    if (moved.matchedCount === 0) return undefined;
    const now = { ...from, afterSeq: to.seq, keptFrom: Math.max(from.keptFrom, keptFrom) };
    for (const vault of keptFrom === 0 ? [] : to.vaults) {
      const old = { chain_id: this.#chainId, vault, block: { $lt: keptFrom } };
      const last = await this.#collections.states.findOne({ ...old, voided_by: null }, { sort: { seq: -1 } });
      if (last) await this.#collections.states.deleteMany({ ...old, seq: { $lt: last.seq } });
    }
    return now;
  }

  /**
   * Forgets how far it was, so that the log is read again from its beginning, and keeps every state until the entry that needs
   * them. Recorded items stay.
   */
  async restart({ afterSeq }: Cursor, keepUntil: number): Promise<void> {
    const begun = await this.#collections.cursors.updateOne(
      { _id: this.#chainId, after_seq: afterSeq },
      { $set: { after_seq: 0, kept_from: 0, keep_until: keepUntil } },
    );
    if (begun.matchedCount === 1) await this.#collections.states.deleteMany({ chain_id: this.#chainId });
  }
}
