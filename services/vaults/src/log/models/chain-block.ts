import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** A block whose logs are all in the log. `seq`: where the log ended when it was stored; a later rollback may void it. */
export type ChainBlockDocument = {
  _id: string;
  chain_id: number;
  number: number;
  hash: string;
  timestamp: number;
  seq: number;
  /** The end of a range of the backfill: kept for ever, others only near the head. */
  checkpoint: boolean;
};

export const chainBlocks = defineCollection({
  name: 'chain_blocks',
  about: 'Blocks whose logs are all in the log.',
  shape: z.custom<ChainBlockDocument>(),
  indexes: [{ keys: { chain_id: 1, number: -1 }, unique: true }],
});

export const chainBlockCollection = (connection: Connection) => chainBlocks.open(connection);
