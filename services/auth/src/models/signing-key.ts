import { type Connection, Schema } from 'mongoose';

/** `generation` is unique: of several processes that rotate at once, one wins. The private key is sealed, and the public one
 * derived from it. Documents of before hold a `public_jwk`, which nothing reads. */
export type SigningKeyDocument = {
  _id: string;
  generation: number;
  sealed_private_jwk: string;
  created_at: Date;
};

const schema = new Schema<SigningKeyDocument>(
  {
    _id: { type: String, required: true },
    generation: { type: Number, required: true, unique: true },
    sealed_private_jwk: { type: String, required: true },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'signing_keys' },
);

export const signingKeyModel = (connection: Connection) => connection.model('SigningKey', schema);
