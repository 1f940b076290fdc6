import { type Connection, Schema } from 'mongoose';

/** A view-only grant or its withdrawal, as the users service told it. Addresses in lower case. */
export type ViewOnlyDocument = {
  /** `<chain_id>:<vault>:<wallet>`. */
  _id: string;
  chain_id: number;
  vault: string;
  wallet: string;
  granted: boolean;
  version: number;
};
/** A name. `scope` is `<chain_id>:<vault>` for a label, `self` for the wallet's own name. */
export type DisplayNameDocument = { _id: string; scope: string; wallet: string; name: string; version: number };

const viewOnly = new Schema({ _id: String }, { versionKey: false, collection: 'view_only_grants', strict: false });
viewOnly.index({ chain_id: 1, vault: 1, granted: 1 });
viewOnly.index({ wallet: 1, granted: 1 });
const names = new Schema({ _id: String }, { versionKey: false, collection: 'display_names', strict: false });
names.index({ wallet: 1, scope: 1 });

export const directoryCollections = (connection: Connection) => {
  connection.model('ViewOnlyGrant', viewOnly);
  connection.model('DisplayName', names);
  return {
    grants: connection.collection<ViewOnlyDocument>('view_only_grants'),
    names: connection.collection<DisplayNameDocument>('display_names'),
  };
};
