import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

export const chainStatuses = defineCollection({
  name: 'chain_status',
  // Without it the whole log would be published once more.
  kept: 'truth',
  about: 'How far a chain is indexed and published.',
  shape: z.object({
    _id: z.number(),
    head_block: z.number().exactOptional(),
    head_time: z.number().exactOptional(),
    indexed_block: z.number().nullable().exactOptional(),
    indexed_hash: z.string().nullable().exactOptional(),
    indexed_time: z.number().nullable().exactOptional(),
    /** True once the log had reached the head for the first time and every vault was read. */
    backfilled: z.boolean().exactOptional(),
    /** The log is published up to here. */
    published_seq: z.number().exactOptional(),
    /** Of the lease under which this was written. */
    token: z.number().exactOptional(),
    /** Sequence of the rollback that began the branch which is indexed; 0 without one. */
    branch: z.number().exactOptional(),
    /** The revision of the vaults that belongs to the indexed block. The former version wrote none, and left that of another token. */
    vaults: z.object({ token: z.number(), revision: z.number() }).exactOptional(),
  }),
});
/** How far a chain is, for every instance to read; written by the one that indexes it. Times in chain seconds. */
export type ChainStatusDocument = DocumentOf<typeof chainStatuses>;

export const chainStatusCollection = (connection: Connection) => chainStatuses.open(connection);
