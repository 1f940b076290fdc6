import type { LogEntry } from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';
import type { ChainBlockDocument } from './chain-block.ts';

/** An entry of the canonical log as it is stored; never changed once written. */
export type ChainLogDocument = LogEntry & {
  /** `<chain_id>:<seq>`. */
  _id: string;
  /** See `entryKey`: makes writing the same entry twice impossible. */
  key: string;
  /** Lower-case `vault_address`. */
  vault: string | null;
};

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

const schema = new Schema({ _id: String }, { versionKey: false, collection: 'chain_log', strict: false });
schema.index({ chain_id: 1, seq: 1 }, { unique: true });
schema.index({ chain_id: 1, key: 1 }, { unique: true });
schema.index({ chain_id: 1, block_number: 1 });
schema.index({ chain_id: 1, name: 1, seq: 1 });
schema.index({ chain_id: 1, vault: 1, name: 1, seq: 1 });

/** The collection with its indexes declared. */
export const chainLogCollection = (connection: Connection) => {
  connection.model('ChainLog', schema);
  return connection.collection<ChainLogDocument>('chain_log');
};
