import { type Connection, Schema } from 'mongoose';

export type SessionDocument = {
  _id: string;
  wallet_address: string;
  issued_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
};

const schema = new Schema<SessionDocument>(
  {
    _id: { type: String, required: true },
    wallet_address: { type: String, required: true, index: true },
    issued_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    revoked_at: { type: Date, default: null },
  },
  { versionKey: false, collection: 'sessions' },
);
schema.index({ expires_at: 1 }, { expireAfterSeconds: 86_400 });

export const sessionModel = (connection: Connection) => connection.model('Session', schema);
