import { z } from 'zod';
import { action } from '../action.ts';
import { Eip55, Hash, HexData, IsoTime, listOf, Seconds, VaultRef } from '../primitives.ts';
import { MandateDocument, MandateInAnswer } from './document.ts';
import { MandateBreach, Observed, PromiseBreach, PromiseStatus, PromiseTally, readers } from './status.ts';

/** Judges a mandate at the observations of a stretch of a vault's history, one page of them a call. */
export const JudgeMandate = action('v1.analytics.judgeMandate', {
  callers: { services: ['users'] },
  params: z.strictObject({
    ...VaultRef.shape,
    document: MandateDocument,
    /** The first observation judged is the last one at or before this time. */
    since: IsoTime,
    until: IsoTime.optional(),
    /** Instead of `since`: what comes after the observation of this block. */
    after_block: z.int().nonnegative().optional(),
    /** Breaches that were not over at that observation. */
    open: z.array(PromiseBreach).max(200).default([]),
    limit: z.int().min(1).max(5_000).default(2_000),
  }),
  result: z.object({
    /** Of the projection that was read: under another one, everything is judged again. */
    generation: z.int(),
    observations: z.int().nonnegative(),
    /** Of the last observation of this page; empty without one. */
    promises: z.array(PromiseStatus),
    /** Every breach that was open, began or ended. */
    breaches: z.array(PromiseBreach),
    /** Each promise over the observations of this page. */
    tallies: z.array(PromiseTally),
    /** The first observation of this page. */
    first: Observed.nullable(),
    judged: Observed.nullable(),
    has_more: z.boolean(),
  }),
});

/** A version of a mandate. It never changes, except that it is put into force once. */
export const MandateVersion = z.object({
  version: z.int().positive(),
  /** `superseded`: a later version is in force. */
  state: z.enum(['draft', 'in_force', 'superseded']),
  document: MandateInAnswer,
  /** Keccak-256 of the document's canonical JSON: what is signed. */
  document_hash: Hash,
  created_by: Eip55,
  created_at: IsoTime,
  signed_by: Eip55.nullable(),
  signature: HexData.nullable(),
  in_force_from: IsoTime.nullable(),
});
export type MandateVersion = z.infer<typeof MandateVersion>;

/** The mandate in force, and the newest draft after it. */
export const GetMandate = action('v1.users.mandate', {
  callers: readers,
  params: VaultRef,
  result: z.object({ in_force: MandateVersion.nullable(), draft: MandateVersion.nullable() }),
});

/** Adds a version as a draft. `replaces`: the newest version one knows, 0 for none; another one there is VERSION_CONFLICT. */
export const DraftMandate = action('v1.users.draftMandate', {
  callers: { user: 'full' },
  params: z.strictObject({
    ...VaultRef.shape,
    document: MandateDocument,
    /** The newest version one knows, 0 for none. */
    replaces: z.int().nonnegative(),
  }),
  result: MandateVersion,
});

/** All versions, newest first. */
export const ListMandateVersions = action('v1.users.mandateVersions', {
  callers: { user: 'read' },
  params: z.strictObject({
    ...VaultRef.shape,
    limit: z.int().min(1).max(500).default(100),
    cursor: z.string().optional(),
  }),
  result: listOf('versions', MandateVersion),
});

/** Puts a draft into force by the primary manager's EIP-712 signature over the hash of its document. */
export const EnforceMandate = action('v1.users.enforceMandate', {
  callers: { user: 'full' },
  params: z.strictObject({ ...VaultRef.shape, version: z.int().positive(), signature: HexData.max(1_000) }),
  result: MandateVersion,
});

/** Says that a manager has seen a breach; a second call only changes the note. */
export const AcknowledgeMandateBreach = action('v1.users.acknowledgeMandateBreach', {
  callers: { user: 'full' },
  params: z.strictObject({
    ...VaultRef.shape,
    breach_id: z.string().max(100),
    note: z.string().min(1).max(500).optional(),
  }),
  result: MandateBreach,
});

/** What a document would have found over the recorded past, by the judge that runs live. Without `from` the last 90 days. */
export const BacktestMandate = action('v1.users.backtestMandate', {
  callers: { user: 'read' },
  params: z.strictObject({
    ...VaultRef.shape,
    document: MandateDocument,
    from: IsoTime.optional(),
    to: IsoTime.optional(),
  }),
  result: z.object({
    from: IsoTime,
    to: IsoTime,
    /** How many were judged. */
    observations: z.int().nonnegative(),
    /** The range has more observations than one answer judges: it ends here. */
    truncated: z.boolean(),
    promises: z.array(
      z.object({
        promise_id: z.string(),
        /** How many there were. */
        breaches: z.int().nonnegative(),
        broken_seconds: Seconds,
      }),
    ),
    /** The newest 200. */
    breaches: z.array(PromiseBreach),
  }),
});
