import { type Connection, Schema } from 'mongoose';
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

const schema = new Schema({ _id: Number }, { versionKey: false, collection: 'chain_commits', strict: false });

export const chainCommitCollection = (connection: Connection) => {
  connection.model('ChainCommit', schema);
  return connection.collection<ChainCommitDocument>('chain_commits');
};
