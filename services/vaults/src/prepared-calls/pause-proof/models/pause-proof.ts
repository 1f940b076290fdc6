import type { PauseProof } from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';

/** The newest proof of a vault's panic button; whether it is stale depends on when it is asked for. */
export type PauseProofDocument = Omit<PauseProof, 'is_stale'> & {
  /** `<chain_id>:<vault in lower case>`. */
  _id: string;
};

const schema = new Schema({ _id: String }, { versionKey: false, collection: 'pause_proofs', strict: false });

export const pauseProofCollection = (connection: Connection) => {
  connection.model('PauseProof', schema);
  return connection.collection<PauseProofDocument>('pause_proofs');
};
