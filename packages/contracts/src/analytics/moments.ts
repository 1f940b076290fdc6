import { z } from 'zod';
import { action } from '../action.ts';
import { Eip55, Hash, IsoTime, Seconds } from '../primitives.ts';
import { answerFields, Count, seriesFields } from './figures.ts';
import { analyticsRead } from './read-route.ts';
import { momentParams, seriesParams } from './request.ts';

/** What a moment of a vault can be marked by: `guard` is a report that the chain refused, or a price that it marked stale. */
export const eventMarkKinds = ['deposit', 'redemption', 'guard', 'pause', 'fee', 'setting', 'role'] as const;

/** Something that happened to the vault, as a mark on a line of time. `event` is its name in the ABI. */
const EventMark = z.object({
  t: IsoTime,
  kind: z.enum(eventMarkKinds),
  event: z.string(),
  block: z.int(),
  tx_hash: Hash,
});

/** Kinds in a query: `pause,guard`. */
const KindsParam = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(eventMarkKinds)).min(1).max(eventMarkKinds.length));

/**
 * When something happened to the vault, or something of these kinds, oldest first. Of more than `points` each kind keeps the last of each
 * bucket of a round width.
 */
const ListEventMarks = action('v1.analytics.marks', {
  callers: { user: 'read', services: ['gateway'] },
  params: seriesParams({ kinds: z.array(z.enum(eventMarkKinds)).min(1).optional() }),
  result: z.object({
    ...answerFields,
    ...seriesFields,
    /** All that happened in the range, also what was left out of `marks`. */
    total: Count,
    marks: z.array(EventMark),
  }),
});

/** Settings and roles as they were: by events, and by readings where no event holds them. Null with an entry in `quality`: not known. */
const GetState = action('v1.analytics.state', {
  callers: { user: 'read', services: ['gateway'] },
  params: momentParams({}),
  result: z.object({
    ...answerFields,
    /** The last reading of the vault by then; null before the first one. */
    observed: z.object({ t: IsoTime, block: z.int() }).nullable(),
    is_paused: z.boolean(),
    settings: z.object({
      performance_fee_bps: z.int().nullable(),
      entry_fee_bps: z.int().nullable(),
      fee_recipient: Eip55.nullable(),
      min_update_interval_seconds: Seconds.nullable(),
      max_staleness_seconds: Seconds.nullable(),
      expiration_seconds: Seconds.nullable(),
      /** Null without an entry in `quality`: the guard was off. */
      deviation_threshold_bps: z.number().nullable(),
      /** Null: none was in force. */
      hooks_root: Hash.nullable(),
    }),
    roles: z.object({ primary_manager: Eip55.nullable(), secondary_managers: z.array(Eip55).nullable() }),
  }),
});

/** How long they may stand: both change with an event. */
const staleMs = 15_000;

/** Routes of what happened when, and of what was in force. */
export const momentRoutes = {
  /** @example const { marks } = await client.analyticsMarks({ params: vault, query: { period: '30d', points: '500' } }); */
  analyticsMarks: analyticsRead({
    id: 'analyticsMarks',
    path: 'marks',
    kind: 'series',
    action: ListEventMarks,
    staleMs,
    query: { kinds: KindsParam.optional() },
  }),
  /** @example const { settings, roles } = await client.analyticsState({ params: vault, query: { at: '2026-10-01T00:00:00Z' } }); */
  analyticsState: analyticsRead({ id: 'analyticsState', path: 'state', kind: 'moment', action: GetState, staleMs }),
};
