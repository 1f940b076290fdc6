import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { ChainBlockDocument } from './chain-block.ts';
import type { ChainLogDocument } from './chain-log.ts';

/**
 * The newest write to one chain's log and blocks, one document per chain. Replacing it is the atomic step that decides between
 * writers; `chain_log` and `chain_blocks` are filled from it afterwards, by its writer or by the next one.
 */
export type ChainCommitDocument = {
  _id: number;
  /** The highest lease token that has taken the log over: only its writer may write. */
  token: number;
  /** Where the log ends, these entries included. */
  seq: number;
  entries: ChainLogDocument[];
  blocks: ChainBlockDocument[];
};

export const chainCommits = defineCollection({
  name: 'chain_commits',
  about: 'The newest write to the log and the blocks of a chain, which decides between writers.',
  shape: z.custom<ChainCommitDocument>(),
});

export const chainCommitCollection = (connection: Connection) => chainCommits.open(connection);
