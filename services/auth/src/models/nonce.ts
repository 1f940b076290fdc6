import { type Connection, Schema } from 'mongoose';

export type NonceDocument = { _id: string; address: string; chain_id: number; issued_at: Date; expires_at: Date };

const schema = new Schema<NonceDocument>(
  {
    _id: { type: String, required: true },
    address: { type: String, required: true },
    chain_id: { type: Number, required: true },
    issued_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'nonces' },
);
schema.index({ expires_at: 1 }, { expireAfterSeconds: 60 });

export const nonceModel = (connection: Connection) => connection.model('Nonce', schema);
