import { type Connection, Schema } from 'mongoose';
import type { Fact } from '../domain/facts.ts';

/** How far the log of a chain has been read. */
export type CursorDocument = {
  /** `<chain_id>`. */
  _id: string;
  chain_id: number;
  /** Which beginning the facts belong to; those of an earlier one are nobody's. */
  epoch: number;
  /** Branches of the chain that were left: facts before `seq` of `block` or later are void, whenever they were written. */
  rollbacks: { seq: number; block: number }[];
  /** Everything up to and including this entry of the log is projected. */
  after_seq: number;
  /** Changes whenever facts were taken away: what was read under another one is void. */
  generation: number;
  /** Facts are being taken away just now: nothing may be read. */
  busy: boolean;
  /** How far the indexer has come: no entry of this block or an earlier one is missing. */
  covered: { block: number; time: number } | null;
  /** The last block any entry is of, perhaps with more to come; time in seconds. Null before the first. */
  last: { block: number; time: number } | null;
  /** The last block whose entries are all there. */
  tip: { block: number; time: number } | null;
  /** The log was read to its end at least once after the chain's first indexing was complete. */
  caught_up: boolean;
  /** Somebody asked for everything to be projected again. */
  rebuild_requested: boolean;
  /** The log's end as last seen; for progress. */
  head_seq: number;
};

/** How many facts a subject has and where the next one goes. */
export type SubjectDocument = {
  /** `<chain_id>:<epoch>:<subject>`. */
  _id: string;
  chain_id: number;
  epoch: number;
  subject: string;
  /** The newest fact's. */
  seq: number;
  /** Number of the segment that is being filled. */
  segment: number;
};

/** A run of facts of one subject, in the order of the log. */
export type SegmentDocument = {
  /** `<chain_id>:<epoch>:<subject>:<n>`. */
  _id: string;
  chain_id: number;
  epoch: number;
  subject: string;
  n: number;
  last_seq: number;
  last_block: number;
  facts: Fact[];
};

const free = (collection: string) => new Schema({ _id: String }, { versionKey: false, collection, strict: false });

/** The collections with their indexes declared. */
export function openCollections(connection: Connection) {
  const segments = free('segments');
  segments.index({ chain_id: 1, epoch: 1, subject: 1, n: 1 }, { unique: true });
  segments.index({ chain_id: 1, epoch: 1, last_block: 1 });
  connection.model('Segment', segments);
  const subjects = free('subjects');
  subjects.index({ chain_id: 1 });
  connection.model('Subject', subjects);
  return {
    cursors: connection.collection<CursorDocument>('cursors'),
    subjects: connection.collection<SubjectDocument>('subjects'),
    segments: connection.collection<SegmentDocument>('segments'),
  };
}

export type Collections = ReturnType<typeof openCollections>;
