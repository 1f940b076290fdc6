import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** A view-only grant or its withdrawal, as the users service published it. Addresses in lower case. */
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

export const viewers = defineCollection({
  name: 'view_only_grants',
  kept: 'truth',
  about: 'View-only grants and their withdrawals, as the users service published them.',
  shape: z.custom<ViewOnlyDocument>(),
  indexes: [{ keys: { chain_id: 1, vault: 1, granted: 1 } }, { keys: { wallet: 1, granted: 1 } }],
});

export const names = defineCollection({
  name: 'display_names',
  kept: 'truth',
  about: 'Names of wallets, as the users service published them.',
  shape: z.custom<DisplayNameDocument>(),
  indexes: [{ keys: { wallet: 1, scope: 1 } }],
});

export const directoryCollections = (connection: Connection) => ({
  grants: viewers.open(connection),
  names: names.open(connection),
});
