import type { FeedItem } from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';
import type { Figures } from '../domain/notable.ts';
import type { VaultState } from '../domain/vault-state.ts';

/** One fact of the log that an item tells; `voided_by` is the rollback that took its block away. */
export type StoredPart = {
  seq: number;
  block: number;
  t: Date;
  tx_hash: string | null;
  name: string;
  severity: FeedItem['severity'];
  actor: string | null;
  figures: Figures;
  voided_by: number | null;
};

export type StoredPost = {
  author: string;
  title: string;
  body: string;
  version: number;
  edited_at: Date | null;
};

/**
 * An item of a vault's feed: facts of the log (`parts`), or what a manager wrote (`post`). Addresses lower case. Nothing is
 * removed: what is void or taken back is not visible. `rev` grows with every write.
 */
export type StoredItem = {
  _id: string;
  chain_id: number;
  vault: string;
  kind: FeedItem['kind'];
  severity: FeedItem['severity'];
  t: Date;
  /** Place among items of one moment: that of its first fact in the log. */
  order: number;
  is_visible: boolean;
  rev: number;
  /** What may be merged with it; null for posts. */
  merges: string | null;
  parts: StoredPart[];
  post: StoredPost | null;
};

/** The state of a vault behind an entry of the log, kept as far back as a rollback may reach. */
export type StoredState = {
  _id: string;
  chain_id: number;
  vault: string;
  seq: number;
  block: number;
  state: VaultState;
  voided_by: number | null;
};

/**
 * How far the log of a chain was read for the feed. States of blocks before `kept_from` are gone; until the entry `keep_until` none
 * are let go.
 */
export type StoredFeedCursor = { _id: number; after_seq: number; kept_from: number; keep_until: number };

/** The feed's collections and their indexes. */
export function openFeedCollections(connection: Connection) {
  const open = <T extends object>(
    name: string,
    fields: Record<string, unknown>,
    indexes: [Record<string, 1 | -1>, object?][],
  ) => {
    const schema = new Schema(fields as never, { versionKey: false, minimize: false });
    for (const [keys, options] of indexes) schema.index(keys, options as never);
    connection.model(name, schema, name);
    return connection.collection<T>(name);
  };
  return {
    items: open<StoredItem>('feed_items', { _id: String, chain_id: Number, vault: String, t: Date }, [
      [{ chain_id: 1, vault: 1, is_visible: 1, t: -1, order: -1, _id: -1 }],
      // A fact is told once, whoever reads the log.
      [
        { chain_id: 1, 'parts.seq': 1 },
        { unique: true, partialFilterExpression: { 'parts.seq': { $gt: 0 } } },
      ],
      [{ chain_id: 1, 'parts.block': 1 }],
      [{ merges: 1, t: -1 }, { partialFilterExpression: { merges: { $exists: true } } }],
    ]),
    states: open<StoredState>('feed_states', { _id: String, chain_id: Number, vault: String, seq: Number }, [
      [{ chain_id: 1, vault: 1, seq: -1 }],
      [{ chain_id: 1, block: 1 }],
    ]),
    cursors: open<StoredFeedCursor>('feed_cursors', { _id: Number, after_seq: Number }, []),
  };
}
export type FeedCollections = ReturnType<typeof openFeedCollections>;
