import { z } from 'zod';
import { action } from '../action.ts';
import { CursorParam, Eip55, IntString, IsoTime, listOf, UintString } from '../primitives.ts';
import { answerFields, Count, Fraction, Usd } from './figures.ts';
import { analyticsRead, pageQuery } from './read-route.ts';
import { momentParams } from './request.ts';

/** How many in the last day, week and month. */
export const WindowCounts = z.object({ h24: Count, d7: Count, d30: Count });
const Slow = z.object({ d7: Count, d30: Count });
/** Holders from one end of a window to the other: start + new_kept + reactivated - churned = end. */
export const HolderBridge = z.object({ start: Count, new_kept: Count, reactivated: Count, churned: Count, end: Count });

/** Who holds the vault. A holder has more than dust, shares that wait for redemption included. */
export const GetUsers = action('v1.analytics.users', {
  callers: { user: 'read', relayedBy: ['ai'], services: ['gateway', 'users'] },
  params: momentParams({}),
  result: z.object({
    ...answerFields,
    total: Count,
    ever: Count,
    active: WindowCounts,
    new: WindowCounts,
    new_by_deposit: WindowCounts,
    new_by_transfer: WindowCounts,
    reactivated: Slow,
    churned: Slow,
    pending_churn: Count,
    bridge: z.object({ d7: HolderBridge, d30: HolderBridge }),
    retention: z.object({ d7: Fraction, d30: Fraction }),
    /** In shares, so that yield does not flatter it. */
    asset_retention: z.object({ d7: Fraction, d30: Fraction }),
    net_asset_retention: z.object({ d7: Fraction, d30: Fraction }),
    /** Over the deposits of the last 30 days; base units of the asset. */
    average_deposit: UintString.nullable(),
    median_deposit: UintString.nullable(),
    p90_deposit: UintString.nullable(),
    average_deposit_usd: Usd,
    /** Mean age of the shares held, weighted by their number; they leave in the order in which they came. */
    mean_tenure_seconds: z.number().nullable(),
    dust_shares: UintString,
  }),
});

const Cohort = z.object({
  /** First day of the cohort's period, UTC. */
  cohort: IsoTime,
  size: Count,
  /** false when its members are fewer than 5: read with care. */
  significant: z.boolean(),
  /** Whether the last period of `retained` has ended. */
  complete: z.boolean(),
  /** Share of the cohort that still holds at the end of period k (k = 0: of its first period). */
  retained: z.array(Fraction),
});

const cohortParams = { interval: z.enum(['week', 'month']).default('week') };

/** Retention over all cohorts by age: the average, weighted by size. */
export const GetRetention = action('v1.analytics.usersRetention', {
  callers: { user: 'read', services: ['gateway'] },
  params: momentParams(cohortParams),
  result: z.object({
    ...answerFields,
    kind: z.literal('on_or_after_by_holding'),
    interval: z.enum(['week', 'month']),
    by_count: z.array(z.object({ age: z.int(), cohorts: Count, base: Count, retained: Fraction })),
    by_shares: z.array(z.object({ age: z.int(), cohorts: Count, retained: Fraction })),
  }),
});

/** Cohorts by the period of the first deposit, by count and by shares. Weeks begin on Monday, UTC. */
export const GetCohorts = action('v1.analytics.usersCohorts', {
  callers: { user: 'read', services: ['gateway'] },
  params: momentParams(cohortParams),
  result: z.object({
    ...answerFields,
    kind: z.literal('on_or_after_by_holding'),
    interval: z.enum(['week', 'month']),
    cohorts: z.array(Cohort),
    by_shares: z.array(Cohort),
  }),
});

/** One holder. `shares` and `assets` are base units, `share` is a fraction of the supply. */
export const Holder = z.object({
  rank: z.int().positive(),
  wallet_address: Eip55,
  shares: UintString,
  /** Part of `shares` that waits for redemption. */
  pending_shares: UintString,
  assets: UintString,
  usd: Usd,
  share: z.number(),
  first_seen: IsoTime,
  last_active: IsoTime.nullable(),
  /** Value now plus everything taken out minus everything put in, base units of the asset; signed. */
  pnl_assets: IntString,
  /** `pnl_assets` at the current price. */
  pnl_usd: Usd,
  /** What was put in less what was taken out, each at the price of its time. */
  cost_usd: Usd,
  /** Value now less `cost_usd`: profit in dollars, what the price of the asset did included. */
  result_usd: Usd,
  /** Yearly rate of what was put in and taken out and of the value now, in the asset (XIRR). It is the holder's own and no APY. */
  xirr: Fraction,
  net_flow_30d: IntString,
  /** Share of the instantly payable assets this holder would take; above 1 it cannot be paid at once. */
  instant_liquidity_use: z.number().nullable(),
});

/** Largest holders first. */
export const ListTopHolders = action('v1.analytics.usersTop', {
  callers: { user: 'read', services: ['gateway', 'users'] },
  params: momentParams({ limit: z.int().min(1).max(500).default(100), cursor: CursorParam.optional() }),
  result: listOf('holders', Holder).extend(answerFields),
});

/** How long figures of holders may stand (API, column Stale). */
const staleMs = 30_000;

const interval = z.enum(['week', 'month']).optional();

/** Routes of holders, retention and cohorts. */
export const holderRoutes = {
  /** @example const holders = await client.analyticsUsers({ params: vault, query: { at: '2026-11-20T00:00:00Z' } }); */
  analyticsUsers: analyticsRead({ id: 'analyticsUsers', path: 'users', kind: 'moment', action: GetUsers, staleMs }),
  /** @example const retention = await client.analyticsRetention({ params: vault, query: { interval: 'month' } }); */
  analyticsRetention: analyticsRead({
    id: 'analyticsRetention',
    path: 'users/retention',
    kind: 'moment',
    action: GetRetention,
    staleMs,
    query: { interval },
  }),
  /** @example const cohorts = await client.analyticsCohorts({ params: vault, query: { interval: 'week' } }); */
  analyticsCohorts: analyticsRead({
    id: 'analyticsCohorts',
    path: 'users/cohorts',
    kind: 'moment',
    action: GetCohorts,
    staleMs,
    query: { interval },
  }),
  /** @example const holders = await client.analyticsTopHolders({ params: vault, query: { limit: '20' } }); */
  analyticsTopHolders: analyticsRead({
    id: 'analyticsTopHolders',
    path: 'users/top',
    kind: 'moment',
    action: ListTopHolders,
    staleMs,
    query: pageQuery,
  }),
};
