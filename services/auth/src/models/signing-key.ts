import { type Connection, Schema } from 'mongoose';

/** `generation` is unique: of several processes that rotate at once, one wins. The private key is sealed. */
export type SigningKeyDocument = {
  _id: string;
  generation: number;
  public_jwk: Record<string, unknown>;
  sealed_private_jwk: string;
  created_at: Date;
};

const schema = new Schema<SigningKeyDocument>(
  {
    _id: { type: String, required: true },
    generation: { type: Number, required: true, unique: true },
    public_jwk: { type: Schema.Types.Mixed, required: true },
    sealed_private_jwk: { type: String, required: true },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'signing_keys' },
);

export const signingKeyModel = (connection: Connection) => connection.model('SigningKey', schema);
