import { FeedItem } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { Figures } from '../domain/notable.ts';
import type { VaultState } from '../domain/vault-state.ts';

/** One fact of the log in an item; `voided_by` is the rollback that took its block away. */
const Part = z.object({
  seq: z.number(),
  block: z.number(),
  t: z.date(),
  tx_hash: z.string().nullable(),
  name: z.string(),
  severity: FeedItem.shape.severity,
  actor: z.string().nullable(),
  figures: z.custom<Figures>(),
  voided_by: z.number().nullable(),
});
export type StoredPart = z.infer<typeof Part>;

const Post = z.object({
  author: z.string(),
  title: z.string(),
  body: z.string(),
  version: z.number(),
  edited_at: z.date().nullable(),
});
export type StoredPost = z.infer<typeof Post>;

/**
 * An item of a vault's feed: facts of the log (`parts`), or what a manager wrote (`post`). Addresses lower case. Nothing is
 * removed: what is void or taken back is not visible. `rev` grows with every write.
 */
export const feedItems = defineCollection({
  name: 'feed_items',
  kept: 'truth',
  about: "An item of a vault's feed: facts of the log, or a post of a manager.",
  shape: z.object({
    _id: z.string(),
    chain_id: z.number(),
    vault: z.string(),
    kind: FeedItem.shape.kind,
    severity: FeedItem.shape.severity,
    t: z.date(),
    /** Place among items of one moment: that of its first fact in the log. */
    order: z.number(),
    is_visible: z.boolean(),
    rev: z.number(),
    /** What may be merged with it; null for posts. */
    merges: z.string().nullable(),
    parts: z.array(Part),
    post: Post.nullable(),
  }),
  indexes: [
    { keys: { chain_id: 1, vault: 1, is_visible: 1, t: -1, order: -1, _id: -1 } },
    // A fact is recorded once, also when two processes read the log.
    { keys: { chain_id: 1, 'parts.seq': 1 }, unique: true, only: { 'parts.seq': { $gt: 0 } } },
    { keys: { chain_id: 1, 'parts.block': 1 } },
    { keys: { merges: 1, t: -1 }, only: { merges: { $exists: true } } },
  ],
});
export type StoredItem = DocumentOf<typeof feedItems>;

export const feedStates = defineCollection({
  name: 'feed_states',
  kept: 'truth',
  about: 'The state of a vault behind an entry of the log, kept as far back as a rollback may reach.',
  shape: z.object({
    _id: z.string(),
    chain_id: z.number(),
    vault: z.string(),
    seq: z.number(),
    block: z.number(),
    state: z.custom<VaultState>(),
    voided_by: z.number().nullable(),
  }),
  indexes: [{ keys: { chain_id: 1, vault: 1, seq: -1 } }, { keys: { chain_id: 1, block: 1 } }],
});
export type StoredState = DocumentOf<typeof feedStates>;

/** States of blocks before `kept_from` are gone; until the entry `keep_until` none are deleted. */
export const feedCursors = defineCollection({
  name: 'feed_cursors',
  kept: 'truth',
  about: 'How far the log of a chain was read for the feed.',
  shape: z.object({ _id: z.number(), after_seq: z.number(), kept_from: z.number(), keep_until: z.number() }),
});
export type StoredFeedCursor = DocumentOf<typeof feedCursors>;

/** The feed's collections. */
export const openFeedCollections = (connection: Connection) => ({
  items: feedItems.open(connection),
  states: feedStates.open(connection),
  cursors: feedCursors.open(connection),
});
export type FeedCollections = ReturnType<typeof openFeedCollections>;
