import type { EventData, VaultDetail, VaultMeasured } from '@castellan/contracts';
import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { Managers } from '../domain/vault-facts.ts';

/** A vault at its newest block read so far. */
export type VaultSnapshotDocument = {
  /** `<chain_id>:<vault in lower case>`. */
  _id: string;
  chain_id: number;
  vault: string;
  strategy: string;
  block_number: number;
  block_hash: string;
  computed_at: Date;
  /** Without names, view-only count and role, which are put in when it is served. */
  detail: VaultDetail;
  managers: Managers;
  /** Lower-case wallets of all managers. */
  wallets: string[];
  /** What the vault's history says of it, newest; absent until it was measured. */
  measured?: EventData<typeof VaultMeasured>;
  /** Shows that this service wrote who manages the vault. */
  seal?: string;
  /** Its block was rolled back: any newer reading replaces it. */
  orphaned: boolean;
  /** Sequence of the last rollback of the chain: a reading of a branch that was left before it is refused. */
  branch: number;
  /** The vault is on no living branch. It is kept so that a late reading does not bring it back. */
  gone: boolean;
  /** The lease token and revision of the last write by the process that indexes the chain; see `SnapshotRevision`. */
  writer: number;
  revision: number;
};

export const vaultSnapshots = defineCollection({
  name: 'vault_snapshots',
  // The status of the chain names their revision.
  kept: 'truth',
  about: 'A vault at its newest block read so far.',
  shape: z.custom<VaultSnapshotDocument>(),
  indexes: [
    { keys: { chain_id: 1, vault: 1 }, unique: true },
    { keys: { chain_id: 1, strategy: 1 } },
    { keys: { wallets: 1 } },
    { keys: { chain_id: 1, writer: 1, revision: 1 } },
  ],
});

export const vaultSnapshotCollection = (connection: Connection) => vaultSnapshots.open(connection);
