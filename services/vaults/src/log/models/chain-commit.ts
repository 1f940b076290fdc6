import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { ChainBlockDocument } from './chain-block.ts';
import type { ChainLogDocument } from './chain-log.ts';

/**
 * The newest write to one chain's log and blocks as the former version kept it, which wrote every entry here first. Kept for one
 * release: `log-end.mongo.ts` moves on from it.
 */
export type ChainCommitDocument = {
  _id: number;
  /** The highest lease token that had taken the log over; `SHUT` once this version has. */
  token: number;
  /** Where the log ended, these entries included. */
  seq: number;
  entries: ChainLogDocument[];
  blocks: ChainBlockDocument[];
};

/** Above every token: a process of the former version that still runs writes nothing any more. */
export const SHUT = Number.MAX_SAFE_INTEGER;

export const chainCommits = defineCollection({
  name: 'chain_commits',
  kept: 'truth',
  about:
    'The newest write to the log and the blocks of a chain as the former version kept it; read once, kept for one release.',
  shape: z.custom<ChainCommitDocument>(),
});

export const chainCommitCollection = (connection: Connection) => chainCommits.open(connection);
