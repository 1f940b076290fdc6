import { z } from 'zod';
import { action } from '../action.ts';
import { Eip55, IsoTime, listOf, VaultRef } from '../primitives.ts';
import type { MandatePromise } from './document.ts';

/** What a promise can be about. */
export const promiseKinds = [
  'source_share',
  'layer_share',
  'idle_share',
  'drawdown',
  'largest_holder',
  'performance_fee',
  'entry_fee',
  'price_age',
  'price_updates',
  'hooks',
  'managers',
] as const satisfies readonly MandatePromise['kind'][];

/** `warned`: held, with little headroom left. `unknown`: what it is about could not be read at that observation. */
export const promiseStates = ['held', 'warned', 'broken', 'unknown'] as const;
/** One of `promiseStates`. */
export const PromiseState = z.enum(promiseStates);
export type PromiseState = z.infer<typeof PromiseState>;

/** What a value and its limit count; `bps`: hundredths of a percent. */
export const PromiseUnit = z.enum(['bps', 'seconds', 'updates', 'hooks', 'managers']);

/** The observation of the vault that proves a state. */
export const Observed = z.object({ block_number: z.int(), time: IsoTime });

/** What a promise limits, as states and breaches carry it. */
const limited = {
  promise_id: z.string(),
  kind: z.enum(promiseKinds),
  bound: z.enum(['at_most', 'at_least']),
  /** In the unit beside it. */
  limit: z.int(),
  unit: PromiseUnit,
};

/** One promise at one observation. `headroom`: how far the value is from the limit, negative beyond it. */
export const PromiseStatus = z.object({
  ...limited,
  on_breach: z.enum(['warn', 'refuse']),
  state: PromiseState,
  /** In the unit beside it; null when it is not known. */
  value: z.int().nullable(),
  /** In the unit beside it, negative beyond the limit; null when the value is not known. */
  headroom: z.int().nullable(),
  /** The source, holder, hook or manager that the value is of; null when it is of none. */
  subject: Eip55.nullable(),
  observed: Observed,
});
export type PromiseStatus = z.infer<typeof PromiseStatus>;

const Moment = Observed.extend({
  /** In the unit of the promise. */
  value: z.int(),
  subject: Eip55.nullable(),
});

/** What became of a promise at the observations that were judged. */
export const PromiseTally = z.object({
  ...limited,
  /** How many observations found it in each state. */
  states: z.object({ held: z.int(), warned: z.int(), broken: z.int(), unknown: z.int() }),
  /** The value furthest towards the breach, or furthest beyond it; null when it was never known. */
  worst: Moment.nullable(),
});
export type PromiseTally = z.infer<typeof PromiseTally>;

/** A stretch of observations at which a promise was broken. An observation at which it was unknown neither begins nor ends one. */
export const PromiseBreach = z.object({
  ...limited,
  started: Moment,
  worst: Moment,
  /** The first observation at which it was held again; null while it is broken. */
  ended: Observed.nullable(),
});
export type PromiseBreach = z.infer<typeof PromiseBreach>;

/** Read by everybody once the version in force says so; drafts by those with a role on the vault only. */
export const readers = { user: 'read', services: ['gateway'] } as const;

/** Each promise of the mandate in force at the last observation. `version` null: nothing is in force. */
export const GetMandateStatus = action('v1.users.mandateStatus', {
  callers: readers,
  params: VaultRef,
  result: z.object({
    version: z.int().positive().nullable(),
    title: z.string().nullable(),
    /** The worst of the promises; null without a mandate or an observation. */
    state: PromiseState.nullable(),
    promises: z.array(PromiseStatus),
    /** How many promises are broken now. */
    open_breaches: z.int().nonnegative(),
  }),
});

/** A breach in the ledger. */
export const MandateBreach = PromiseBreach.extend({
  breach_id: z.string(),
  version: z.int().positive(),
  /** Another version came into force before it was over. */
  superseded: z.boolean(),
  acknowledged_by: Eip55.nullable(),
  acknowledged_at: IsoTime.nullable(),
  note: z.string().nullable(),
});
export type MandateBreach = z.infer<typeof MandateBreach>;

/** The ledger of breaches, newest first. */
export const ListMandateBreaches = action('v1.users.mandateBreaches', {
  callers: readers,
  params: z.strictObject({
    ...VaultRef.shape,
    limit: z.int().min(1).max(500).default(100),
    cursor: z.string().optional(),
  }),
  result: listOf('breaches', MandateBreach),
});
