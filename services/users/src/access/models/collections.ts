import type { AuditRecorded, EventData } from '@castellan/contracts';
import type { Connection } from 'mongoose';
import { openCollection, unique } from '../../store/open-collection.ts';

/** A row for the audit log, as any service hands one in. */
export type AuditEntry = EventData<typeof AuditRecorded>;

/** View-only access of a wallet to a vault; addresses lower case. A revoked grant stays, with its version. */
export type StoredGrant = {
  chain_id: number;
  vault: string;
  wallet: string;
  granted: boolean;
  granted_by: string;
  granted_at: Date;
  version: number;
};

/** A name: a label on one vault, or (vault and chain null) the wallet's own. */
export type StoredName = {
  chain_id: number | null;
  vault: string | null;
  wallet: string;
  display_name: string;
  version: number;
};

export type StoredPerson = { wallet: string; id: string };


/** Grants, names and the ids of people, with their indexes. */
export const openAccessCollections = (connection: Connection) => ({
  grants: openCollection<StoredGrant>(
    connection,
    'view_only_grants',
    [[{ chain_id: 1, vault: 1, wallet: 1 }, unique], [{ wallet: 1 }]],
    {
      chain_id: Number,
      vault: String,
      wallet: String,
      granted: Boolean,
      granted_by: String,
      granted_at: Date,
      version: Number,
    },
  ),
  names: openCollection<StoredName>(connection, 'display_names', [[{ wallet: 1, chain_id: 1, vault: 1 }, unique]], {
    chain_id: Number,
    vault: String,
    wallet: String,
    display_name: String,
    version: Number,
  }),
  people: openCollection<StoredPerson>(connection, 'people', [[{ wallet: 1 }, unique]], { wallet: String, id: String }),
});
export type AccessCollections = ReturnType<typeof openAccessCollections>;
