import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { Fact } from '../domain/facts.ts';

/** A block and its time in seconds. */
const Place = z.object({ block: z.number(), time: z.number() });

export const cursors = defineCollection({
  name: 'cursors',
  kept: 'rebuilt',
  about: 'How far the log of a chain has been read.',
  shape: z.object({
    /** `<chain_id>`. */
    _id: z.string(),
    chain_id: z.number(),
    /** Which beginning the facts belong to; those of an earlier one are nobody's. */
    epoch: z.number(),
    /** Branches of the chain that were left: facts before `seq` of `block` or later are void, whenever they were written. */
    rollbacks: z.array(z.object({ seq: z.number(), block: z.number() })),
    /** Everything up to and including this entry of the log is projected. */
    after_seq: z.number(),
    /** Changes whenever facts were taken away: what was read under another one is void. */
    generation: z.number(),
    /** Facts are being taken away just now: nothing may be read. */
    busy: z.boolean(),
    /** How far the indexer has come: no entry of this block or an earlier one is missing. */
    covered: Place.nullable(),
    /** The last block any entry is of, perhaps with more to come. Null before the first. */
    last: Place.nullable(),
    /** The last block whose entries are all there. */
    tip: Place.nullable(),
    /** The log was read to its end at least once after the chain's first indexing was complete. */
    caught_up: z.boolean(),
    /** Somebody asked for everything to be projected again. */
    rebuild_requested: z.boolean(),
    /** The log's end as last seen; for progress. */
    head_seq: z.number(),
  }),
});
export type CursorDocument = DocumentOf<typeof cursors>;

export const subjects = defineCollection({
  name: 'subjects',
  kept: 'rebuilt',
  about: 'How many facts a subject has, and the segment that the next one goes to.',
  shape: z.object({
    /** `<chain_id>:<epoch>:<subject>`. */
    _id: z.string(),
    chain_id: z.number(),
    epoch: z.number(),
    subject: z.string(),
    /** The newest fact's. */
    seq: z.number(),
    /** Number of the segment that is being filled. */
    segment: z.number(),
    /** About how many there are. Former versions, whose segments had 100 each, did not count. */
    facts: z.number().optional(),
  }),
  indexes: [{ keys: { chain_id: 1 } }],
});
export type SubjectDocument = DocumentOf<typeof subjects>;

export const segments = defineCollection({
  name: 'segments',
  kept: 'rebuilt',
  about: 'A run of facts of one subject, in the order of the log.',
  shape: z.object({
    /** `<chain_id>:<epoch>:<subject>:<n>`. */
    _id: z.string(),
    chain_id: z.number(),
    epoch: z.number(),
    subject: z.string(),
    n: z.number(),
    last_seq: z.number(),
    last_block: z.number(),
    facts: z.custom<Fact[]>(),
  }),
  indexes: [
    { keys: { chain_id: 1, epoch: 1, subject: 1, n: 1 }, unique: true },
    { keys: { chain_id: 1, epoch: 1, last_block: 1 } },
  ],
});
export type SegmentDocument = DocumentOf<typeof segments>;

/** The collections of the projection. */
export const openCollections = (connection: Connection) => ({
  cursors: cursors.open(connection),
  subjects: subjects.open(connection),
  segments: segments.open(connection),
});

export type Collections = ReturnType<typeof openCollections>;
