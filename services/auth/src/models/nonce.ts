import { type Connection, Schema } from 'mongoose';

/** `network` is where it was asked for; it is handed out again to nobody else. */
export type NonceDocument = {
  _id: string;
  address: string;
  network?: string;
  chain_id: number;
  issued_at: Date;
  expires_at: Date;
};

const schema = new Schema<NonceDocument>(
  {
    _id: { type: String, required: true },
    address: { type: String, required: true },
    network: { type: String },
    chain_id: { type: Number, required: true },
    issued_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'nonces' },
);
schema.index({ address: 1, network: 1, expires_at: -1 });
schema.index({ expires_at: 1 }, { expireAfterSeconds: 60 });

export const nonceModel = (connection: Connection) => connection.model('Nonce', schema);
