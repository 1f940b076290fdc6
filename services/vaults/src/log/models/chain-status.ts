import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** How far a chain is, for every instance to read; written by the one that indexes it. Times in chain seconds. */
export type ChainStatusDocument = {
  _id: number;
  head_block?: number;
  head_time?: number;
  indexed_block?: number | null;
  indexed_hash?: string | null;
  indexed_time?: number | null;
  /** True once the log had reached the head for the first time and every vault was read. */
  backfilled?: boolean;
  /** The log is published up to here. */
  published_seq?: number;
  /** Of the lease under which this was written. */
  token?: number;
  /** Sequence of the rollback that began the branch which is indexed; 0 without one. */
  branch?: number;
  /** The revision of the vaults that belongs to the indexed block. The former version wrote none, and left that of another token. */
  vaults?: { token: number; revision: number };
};

export const chainStatuses = defineCollection({
  name: 'chain_status',
  about: 'How far a chain is indexed and published.',
  shape: z.custom<ChainStatusDocument>(),
});

export const chainStatusCollection = (connection: Connection) => chainStatuses.open(connection);
