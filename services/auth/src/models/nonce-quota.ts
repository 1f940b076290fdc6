import { type Connection, Schema } from 'mongoose';

/** How many nonces an address took in one minute; `_id` is `<address>:<minute>`. */
export type NonceQuotaDocument = { _id: string; count: number; expires_at: Date };

const schema = new Schema<NonceQuotaDocument>(
  {
    _id: { type: String, required: true },
    count: { type: Number, required: true },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'nonce_quotas' },
);
schema.index({ expires_at: 1 }, { expireAfterSeconds: 60 });

export const nonceQuotaModel = (connection: Connection) => connection.model('NonceQuota', schema);
