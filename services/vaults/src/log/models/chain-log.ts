import type { LogEntry } from '@castellan/contracts';
import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** An entry of the canonical log as it is stored; never changed once written. */
export type ChainLogDocument = LogEntry & {
  /** `<chain_id>:<seq>`. */
  _id: string;
  /** See `entryKey`: makes writing the same entry twice impossible. */
  key: string;
  /** Lower-case `vault_address`. */
  vault: string | null;
};

export const chainLog = defineCollection({
  name: 'chain_log',
  about: 'The canonical log of each chain. Entries are added, never changed.',
  shape: z.custom<ChainLogDocument>(),
  indexes: [
    { keys: { chain_id: 1, seq: 1 }, unique: true },
    { keys: { chain_id: 1, key: 1 }, unique: true },
    { keys: { chain_id: 1, block_number: 1 } },
    { keys: { chain_id: 1, name: 1, seq: 1 } },
    { keys: { chain_id: 1, vault: 1, name: 1, seq: 1 } },
  ],
});

export const chainLogCollection = (connection: Connection) => chainLog.open(connection);
