import { type Connection, Schema } from 'mongoose';
import type { PreparedDocument } from '../domain/prepared-call.ts';

const schema = new Schema(
  { _id: String, version: Number },
  { versionKey: false, collection: 'prepared_calls', strict: false, minimize: false },
);
schema.index({ chain_id: 1, vault: 1, place: -1 }, { unique: true });
schema.index({ chain_id: 1, status: 1, expires_at: 1 }, { partialFilterExpression: { settled: false } });
schema.index({ chain_id: 1, 'tx.hash': 1 }, { partialFilterExpression: { 'tx.hash': { $exists: true } } });

export const preparedCollection = (connection: Connection) => {
  connection.model('PreparedCall', schema);
  return connection.collection<PreparedDocument>('prepared_calls');
};
