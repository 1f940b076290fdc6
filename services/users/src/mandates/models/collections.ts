import { MandateBreach, type MandateDocument, type PromiseBreach } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** `vault` is lower case. */
const ofVault = { chain_id: z.number(), vault: z.string() };

export const mandateVersions = defineCollection({
  name: 'mandate_versions',
  kept: 'truth',
  about: 'Versions of mandates, with the signature that put each into force.',
  shape: z.object({
    ...ofVault,
    version: z.number(),
    document: z.custom<MandateDocument>(),
    document_hash: z.string(),
    created_by: z.string(),
    created_at: z.date(),
    signed_by: z.string().nullable(),
    signature: z.string().nullable(),
    /** Null while it is a draft. */
    in_force_from: z.date().nullable(),
  }),
  indexes: [{ keys: { chain_id: 1, vault: 1, version: 1 }, unique: true }],
});
export type StoredVersion = DocumentOf<typeof mandateVersions>;

export const mandateBreaches = defineCollection({
  name: 'mandate_breaches',
  kept: 'truth',
  about: 'The ledger of breaches of mandates, with who has acknowledged each.',
  shape: MandateBreach.extend({
    ...ofVault,
    /** The projection that it was judged under: one of an earlier projection may never have happened. */
    generation: z.number(),
  }),
  indexes: [
    { keys: { chain_id: 1, vault: 1, breach_id: 1 }, unique: true },
    { keys: { chain_id: 1, vault: 1, 'started.block_number': -1, breach_id: -1 } },
  ],
});
export type StoredBreach = DocumentOf<typeof mandateBreaches>;

export const mandateJudgements = defineCollection({
  name: 'mandate_judgements',
  kept: 'truth',
  about: 'How far the mandate in force of a vault is judged, and what was broken there.',
  shape: z.object({
    ...ofVault,
    version: z.number(),
    generation: z.number(),
    judged_block: z.number(),
    open: z.custom<PromiseBreach[]>(),
    /** Grows with each write: a writer that was overtaken is refused. */
    revision: z.number(),
  }),
  indexes: [{ keys: { chain_id: 1, vault: 1 }, unique: true }],
});
export type StoredJudgement = DocumentOf<typeof mandateJudgements>;

/** Mandates, and what became of them. */
export const openMandateCollections = (connection: Connection) => ({
  versions: mandateVersions.open(connection),
  breaches: mandateBreaches.open(connection),
  judgements: mandateJudgements.open(connection),
});
export type MandateCollections = ReturnType<typeof openMandateCollections>;
