import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

export const chainBlocks = defineCollection({
  name: 'chain_blocks',
  kept: 'truth',
  about: 'Blocks whose logs are all in the log.',
  shape: z.object({
    _id: z.string(),
    chain_id: z.number(),
    number: z.number(),
    hash: z.string(),
    timestamp: z.number(),
    seq: z.number(),
    /** The end of a range of the backfill: kept for ever, others only near the head. */
    checkpoint: z.boolean(),
  }),
  indexes: [{ keys: { chain_id: 1, number: -1 }, unique: true }],
});
/** A block whose logs are all in the log. `seq`: where the log ended when it was stored; a later rollback may void it. */
export type ChainBlockDocument = DocumentOf<typeof chainBlocks>;

export const chainBlockCollection = (connection: Connection) => chainBlocks.open(connection);
