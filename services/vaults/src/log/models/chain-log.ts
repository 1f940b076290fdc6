import type { LogEntry } from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';

/** An entry of the canonical log as it is stored; never changed once written. */
export type ChainLogDocument = LogEntry & {
  /** `<chain_id>:<seq>`. */
  _id: string;
  /** See `entryKey`: makes writing the same entry twice impossible. */
  key: string;
  /** Lower-case `vault_address`. */
  vault: string | null;
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
