import { type Connection, Schema } from 'mongoose';

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

const schema = new Schema({ _id: String }, { versionKey: false, collection: 'chain_blocks', strict: false });
schema.index({ chain_id: 1, number: -1 }, { unique: true });

export const chainBlockCollection = (connection: Connection) => {
  connection.model('ChainBlock', schema);
  return connection.collection<ChainBlockDocument>('chain_blocks');
};
