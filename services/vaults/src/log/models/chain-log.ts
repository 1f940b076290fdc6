import { LogEntry } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { ChainBlockDocument } from './chain-block.ts';

/** Holds the place behind the last entry for the newest writer; readers do not see it. See `logEnds`. */
export type LogEndDocument = {
  _id: string;
  chain_id: number;
  /** No number: it is no entry. The unique indexes allow one a chain. */
  seq: null;
  key: null;
  /** The highest lease token that has taken the log over: only its writer may write. */
  token: number;
  /** The newest blocks that were covered; `chain_blocks` is filled from here, by the writer or by the next one. */
  blocks: ChainBlockDocument[];
};

export const chainLog = defineCollection({
  name: 'chain_log',
  // Observations and rollbacks are not on the chain, and audit rows, journals and cursors name entries by their sequence.
  kept: 'truth',
  about:
    'The canonical log of each chain. Entries are added, never changed; one more document holds the place of the next.',
  shape: LogEntry.extend({
    /** `<chain_id>:<seq>`. */
    _id: z.string(),
    /** See `entryKey`: makes writing the same entry twice impossible. */
    key: z.string(),
    /** Lower-case `vault_address`. */
    vault: z.string().nullable(),
    /** See `StoredEntry`. */
    trace: z.string().exactOptional(),
  }),
  indexes: [
    { keys: { chain_id: 1, seq: 1 }, unique: true },
    { keys: { chain_id: 1, key: 1 }, unique: true },
    { keys: { chain_id: 1, block_number: 1 } },
    { keys: { chain_id: 1, name: 1, seq: 1 } },
    { keys: { chain_id: 1, vault: 1, name: 1, seq: 1 } },
  ],
});
/** An entry of the canonical log as it is stored; never changed once written. */
export type ChainLogDocument = DocumentOf<typeof chainLog>;

export const chainLogCollection = (connection: Connection) => chainLog.open(connection);
