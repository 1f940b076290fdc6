import type { AuditRecorded, EventData } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** A row for the audit log, as any service hands one in. */
export type AuditEntry = EventData<typeof AuditRecorded>;

/** Addresses are lower case. A revoked grant stays, with its version. */
export const viewOnlyGrants = defineCollection({
  name: 'view_only_grants',
  kept: 'truth',
  about: 'View-only access of a wallet to a vault, given or taken back.',
  shape: z.object({
    chain_id: z.number(),
    vault: z.string(),
    wallet: z.string(),
    granted: z.boolean(),
    granted_by: z.string(),
    granted_at: z.date(),
    version: z.number(),
  }),
  indexes: [{ keys: { chain_id: 1, vault: 1, wallet: 1 }, unique: true }, { keys: { wallet: 1 } }],
});
export type StoredGrant = DocumentOf<typeof viewOnlyGrants>;

export const displayNames = defineCollection({
  name: 'display_names',
  kept: 'truth',
  about: "A name: a label on one vault, or (vault and chain null) the wallet's own.",
  shape: z.object({
    chain_id: z.number().nullable(),
    vault: z.string().nullable(),
    wallet: z.string(),
    display_name: z.string(),
    version: z.number(),
  }),
  indexes: [{ keys: { wallet: 1, chain_id: 1, vault: 1 }, unique: true }],
});
export type StoredName = DocumentOf<typeof displayNames>;

export const people = defineCollection({
  name: 'people',
  kept: 'truth',
  about: 'The id by which the API names a wallet.',
  shape: z.object({ wallet: z.string(), id: z.string() }),
  indexes: [{ keys: { wallet: 1 }, unique: true }],
});

/** Grants, names and the ids of people. */
export const openAccessCollections = (connection: Connection) => ({
  grants: viewOnlyGrants.open(connection),
  names: displayNames.open(connection),
  people: people.open(connection),
});
export type AccessCollections = ReturnType<typeof openAccessCollections>;
