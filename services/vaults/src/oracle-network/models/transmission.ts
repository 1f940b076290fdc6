import type { Transmission } from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';

/** One transmission as the validators told it; `vault` in lower case. */
export type TransmissionDocument = Transmission & { _id: string; vault: string | null };

const schema = new Schema({ _id: String }, { versionKey: false, collection: 'transmissions', strict: false });
schema.index({ chain_id: 1, vault: 1, t: -1, _id: -1 });
schema.index({ t: -1 });

export const transmissionCollection = (connection: Connection) => {
  connection.model('Transmission', schema);
  return connection.collection<TransmissionDocument>('transmissions');
};
