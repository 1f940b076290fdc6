import { type Connection, Schema } from 'mongoose';

/** How often something was done in one minute; `_id` is `<what and who>:<minute>`. */
export type MinuteCountDocument = { _id: string; count: number; expires_at: Date };

const schema = new Schema<MinuteCountDocument>(
  {
    _id: { type: String, required: true },
    count: { type: Number, required: true },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'nonce_quotas' },
);
schema.index({ expires_at: 1 }, { expireAfterSeconds: 60 });

export const minuteCountModel = (connection: Connection) => connection.model('MinuteCount', schema);
