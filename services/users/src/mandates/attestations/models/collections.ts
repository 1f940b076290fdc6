import { SignedAttestation, Verdict } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

export const mandateAttestations = defineCollection({
  name: 'mandate_attestations',
  kept: 'truth',
  about: 'Signed attestations of mandates, one for each vault and month.',
  shape: z.object({
    chain_id: z.number(),
    /** Lower case. */
    vault: z.string(),
    period: z.string(),
    verdict: Verdict,
    /** Whether every version in it is public. */
    is_public: z.boolean(),
    kid: z.string(),
    signed: SignedAttestation,
    signed_at: z.date(),
  }),
  indexes: [{ keys: { chain_id: 1, vault: 1, period: 1 }, unique: true }],
});
export type StoredAttestation = DocumentOf<typeof mandateAttestations>;

export const attestationKeys = defineCollection({
  name: 'attestation_keys',
  // No backup holds a key: after a restore a new one is made, and the history says by which the former ones are verified.
  kept: 'transient',
  about: 'The key that signs attestations of mandates, sealed.',
  shape: z.object({ _id: z.string(), generation: z.number(), sealed_private_jwk: z.string() }),
});

export const attestationKeyHistory = defineCollection({
  name: 'attestation_key_history',
  kept: 'truth',
  about: 'Public parts of every key that signed attestations, sealed so that nobody else adds one.',
  shape: z.object({
    /** The thumbprint of the key (RFC 7638). */
    _id: z.string(),
    /** From 1. */
    generation: z.number(),
    created_at: z.date(),
    sealed_public_jwk: z.string(),
  }),
  indexes: [{ keys: { generation: 1 }, unique: true }],
});

/** Attestations and the keys that sign them. */
export const openAttestationCollections = (connection: Connection) => ({
  attestations: mandateAttestations.open(connection),
  keys: attestationKeys.open(connection),
  keyHistory: attestationKeyHistory.open(connection),
});
export type AttestationCollections = ReturnType<typeof openAttestationCollections>;
