import { z } from 'zod';
import { action } from '../action.ts';
import { ChainId, Eip55, Hash, HexData, IsoTime, VaultRef } from '../primitives.ts';
import { Month } from '../reports/month.ts';
import { MandateInAnswer } from './document.ts';
import { MandateBreach, Observed, PromiseBreach, PromiseTally, readers } from './status.ts';

/** `unknown`: there is no observation at which it could be read. */
export const verdicts = ['kept', 'breached', 'unknown'] as const;
/** One of `verdicts`. */
export const Verdict = z.enum(verdicts);
export type Verdict = z.infer<typeof Verdict>;

const AttestedBreach = MandateBreach.pick({
  breach_id: true,
  started: true,
  worst: true,
  ended: true,
  acknowledged_by: true,
  acknowledged_at: true,
  note: true,
});

/** One promise over the time in which its version was in force. */
const AttestedPromise = PromiseTally.omit({ worst: true }).extend({
  verdict: Verdict,
  /** The value furthest towards the breach, or furthest beyond it; null when it was never known. */
  worst: PromiseBreach.shape.worst.nullable(),
  breaches: z.array(AttestedBreach),
});

const AttestedMandate = z.object({
  version: z.int().positive(),
  document: MandateInAnswer,
  /** Keccak-256 of the document's canonical JSON: what the primary manager signed. */
  document_hash: Hash,
  signed_by: Eip55,
  signature: HexData,
  in_force_from: IsoTime,
  /** The part of the month in which it was in force. */
  from: IsoTime,
  to: IsoTime,
  /** How many were judged. */
  observations: z.int().nonnegative(),
  first_observed: Observed.nullable(),
  last_observed: Observed.nullable(),
  verdict: Verdict,
  promises: z.array(AttestedPromise),
});

/** What the signed file of a month says. Each version that was in force in the month stands here, the oldest first. */
export const MandateAttestation = z.object({
  /** Of this form of the statement: 1. */
  format: z.literal(1),
  chain_id: ChainId,
  vault_address: Eip55,
  period: z.string(),
  from: IsoTime,
  to: IsoTime,
  verdict: Verdict,
  mandates: z.array(AttestedMandate),
  formulas_version: z.string(),
  issued_at: IsoTime,
});
export type MandateAttestation = z.infer<typeof MandateAttestation>;

/** A statement with its signature: a JWS in its flattened JSON form (RFC 7515, 7.2.2). Its payload is the canonical JSON of the statement. */
export const SignedAttestation = z.object({ payload: z.string(), protected: z.string(), signature: z.string() });
export type SignedAttestation = z.infer<typeof SignedAttestation>;

/** The attestation of a month. It is signed once, when it is first asked for after the month is final. */
export const GetMandateAttestation = action('v1.users.mandateAttestation', {
  callers: readers,
  params: z.strictObject({ ...VaultRef.shape, period: Month }),
  result: SignedAttestation,
});

/** A public key that signs attestations or has signed them (RFC 7517), and when. */
const AttestationKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  kid: z.string(),
  alg: z.literal('ES256'),
  use: z.literal('sig'),
  /** Since when it signs; null for one of a key service, whose age is not known here. */
  castellan_from: IsoTime.nullable(),
  /** Since when its successor signs; null while it signs itself. */
  castellan_until: IsoTime.nullable(),
});
/** A public key that signs attestations or has signed them. */
export type AttestationKey = z.infer<typeof AttestationKey>;

/** Every key that ever signed attestations, newest first. */
export const AttestationKeySet = z.object({ keys: z.array(AttestationKey) });

/** The keys by which attestations are verified. */
export const GetAttestationKeys = action('v1.users.attestationKeys', {
  callers: { services: ['gateway'] },
  params: z.strictObject({}),
  result: AttestationKeySet,
});
