import { type Connection, Schema } from 'mongoose';

/** A transaction somebody asked about: what is needed to tell that another took its nonce, or why it reverted. */
export type SeenTransactionDocument = {
  /** `<chain_id>:<hash>`. */
  _id: string;
  from?: string;
  nonce?: number;
  revert_reason?: string;
  seen_at: Date;
};

const schema = new Schema(
  { _id: String, seen_at: Date },
  { versionKey: false, collection: 'seen_transactions', strict: false },
);
const keptSeconds = 7 * 86_400;
schema.index({ seen_at: 1 }, { expireAfterSeconds: keptSeconds });

export const seenTransactionCollection = (connection: Connection) => {
  connection.model('SeenTransaction', schema);
  return connection.collection<SeenTransactionDocument>('seen_transactions');
};
