import { type Connection, Schema } from 'mongoose';

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
};

const schema = new Schema({ _id: Number }, { versionKey: false, collection: 'chain_status', strict: false });

export const chainStatusCollection = (connection: Connection) => {
  connection.model('ChainStatus', schema);
  return connection.collection<ChainStatusDocument>('chain_status');
};
