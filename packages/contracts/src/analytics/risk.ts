import { z } from 'zod';
import { action } from '../action.ts';
import { Eip55, IsoTime, Seconds, UintString } from '../primitives.ts';
import { answerFields, Count, ExactPps, Fraction, SourceCounts, seriesFields } from './figures.ts';
import { analyticsRead } from './read-route.ts';
import { momentParams, seriesParams } from './request.ts';

const Concentration = z.object({
  /** Over total assets, idle as its own bucket. */
  hhi: Fraction,
  /** hhi x 10 000. */
  points: z.number().nullable(),
  hhi_deployed: Fraction,
  effective_sources: z.number().nullable(),
  /** Over the places that hold assets. */
  normalised: Fraction,
  /** Bands of the 2023 US merger guidelines: low < 1 000 <= medium < 1 800 <= high. */
  band: z.enum(['low', 'medium', 'high']).nullable(),
});

const RiskComponent = z.object({
  name: z.string(),
  /** What was measured; null when there is no live data for it. */
  value: z.number().nullable(),
  unit: z.string(),
  /** 0 (no danger) to 1. */
  score: z.number().nullable(),
  weight: z.number(),
  formula: z.string(),
});

const Ladder = z.array(
  z.object({
    /** How long until it can be paid out. `unknown` is what no observation shows. */
    bucket: z.enum(['now', '1h', '1d', '7d', 'longer', 'unknown']),
    assets: UintString,
    share: Fraction,
  }),
);

/** The risk of one vault; higher is riskier. `score` is null ("incomplete") when less than 70 % of the weight has live data. */
export const GetRisk = action('v1.analytics.risk', {
  callers: { user: 'read', relayedBy: ['ai'], services: ['gateway', 'users'] },
  params: momentParams({}),
  result: z.object({
    ...answerFields,
    score: z.number().nullable(),
    level: z.enum(['low', 'medium', 'high']).nullable(),
    version: z.string(),
    coverage: z.number(),
    /** Dangers that set a floor under the score. */
    floors: z.array(z.object({ name: z.string(), floor: z.number(), reason: z.string() })),
    /** Names of such dangers of which it is not known whether they hold. */
    unknown_floors: z.array(z.string()),
    components: z.array(RiskComponent),
    top_contributors: z.array(z.string()),
    concentration: Concentration,
    max_drawdown_30d: Fraction,
    /** Fall since inception that those 30 days begin with: drawdown at their first observation. */
    carried_in: Fraction,
    /** Annual, adjusted for serial correlation of the daily returns (Lo 2002). */
    sharpe: z.number().nullable(),
    /** The same by the square root of time, as if the returns were independent. */
    sharpe_naive: z.number().nullable(),
    /** Why the Sharpe ratio is null though there is history. */
    sharpe_note: z.string().nullable(),
    volatility_daily: Fraction,
    volatility_annual: Fraction,
    top_holder_share: Fraction,
    top10_holder_share: Fraction,
    holder_hhi: Fraction,
    liquidity: z.object({
      instant_assets: UintString.nullable(),
      instant_share: Fraction,
      coverage: z.object({ k1: z.number().nullable(), k3: z.number().nullable(), k10: z.number().nullable() }),
      ladder: Ladder,
    }),
    withdrawal_at_risk: z.object({ h24_p95: Fraction, shortfall: UintString.nullable() }),
  }),
});

/** How concentrated the allocation is (HHI and its inputs), at one block. */
export const GetConcentration = action('v1.analytics.riskConcentration', {
  callers: { user: 'read', services: ['gateway'] },
  params: momentParams({}),
  result: z.object({
    ...answerFields,
    ...Concentration.shape,
    ...SourceCounts,
    largest: z.object({ source_address: Eip55, share: z.number() }).nullable(),
    sources: z.array(
      z.object({
        source_address: Eip55,
        kind: z.enum(['source', 'idle']),
        assets: UintString.nullable(),
        share: Fraction,
        /** Its part of the HHI. */
        contribution: Fraction,
      }),
    ),
  }),
});

/** Falls of the net PPS below its highest point so far; `recovered` is null while one lasts. */
export const GetDrawdown = action('v1.analytics.riskDrawdown', {
  callers: { user: 'read', relayedBy: ['ai'], services: ['gateway'] },
  params: seriesParams({}),
  result: z.object({
    ...answerFields,
    ...seriesFields,
    max_drawdown: Fraction,
    max_drawdown_since_inception: Fraction,
    /** From the lowest point of the deepest fall of the range until it was made good; null without one, and while it lasts. */
    recovery_seconds: Seconds.nullable(),
    /** Since the net price last reached a new high. */
    seconds_since_high: Seconds.nullable(),
    /** APY of the range over its deepest fall; null below a fall of 0.1 %. */
    calmar: z.number().nullable(),
    /** Fall since inception that the range begins with: drawdown at its first observation. */
    carried_in: Fraction,
    current_drawdown: Fraction,
    episodes: z.array(
      z.object({
        start: IsoTime,
        trough: IsoTime,
        recovered: IsoTime.nullable(),
        depth: z.number(),
        duration_seconds: Seconds,
        peak_net_pps: UintString,
        peak_net_pps_exact: ExactPps,
        trough_net_pps: UintString,
        trough_net_pps_exact: ExactPps,
      }),
    ),
    points: z.array(z.object({ t: IsoTime, drawdown: z.number() })),
  }),
});

/**
 * Daily log returns of the net PPS: figures over the days of the range, and the standard deviation rolling over 7 and 30 days.
 * A rolling figure over fewer than 20 returns is `partial` in `quality`.
 */
export const GetVolatility = action('v1.analytics.riskVolatility', {
  callers: { user: 'read', services: ['gateway'] },
  params: seriesParams({}),
  result: z.object({
    ...answerFields,
    ...seriesFields,
    volatility_daily: Fraction,
    volatility_annual: Fraction,
    /** Annual, adjusted for serial correlation of the daily returns (Lo 2002). */
    sharpe: z.number().nullable(),
    /** The same by the square root of time, as if the returns were independent. */
    sharpe_naive: z.number().nullable(),
    /** Annual, for the deviation of the days below the benchmark alone; null when there is none. */
    sortino: z.number().nullable(),
    autocorrelation_1: z.number().nullable(),
    /** Of `days`, those without a new price. */
    stale_days: Count,
    /** Number of daily returns that the figures of the range rest on. */
    days: Count,
    /** Over the returns of up to a year before the moment, whatever the range: the tail of a month is no sample. */
    value_at_risk: z.object({ p95: Fraction, p99: Fraction, expected_shortfall_95: Fraction }),
    points: z.array(z.object({ t: IsoTime, d7: Fraction, d30: Fraction })),
  }),
});

/**
 * Run simulator: the largest holders ask for everything at once. What can be paid at once, what by when, who waits.
 * Amounts in asset base units; paid_now + the paid_by steps + shortfall = demand.
 */
export const RunSimulation = action('v1.analytics.riskRun', {
  callers: { user: 'read', relayedBy: ['ai'], services: ['gateway'] },
  params: momentParams({
    top_holders: z.int().min(1).max(1000).default(3),
    hours: z.int().min(1).max(720).default(24),
    venue_shock: z.number().min(0).max(1).default(0),
  }),
  result: z.object({
    ...answerFields,
    top_holders: Count,
    hours: z.int(),
    venue_shock: z.number(),
    demand: UintString,
    demand_share: Fraction,
    paid_now: UintString.nullable(),
    paid_by: z.array(z.object({ within_seconds: Seconds, source_address: Eip55, assets: UintString })),
    shortfall: UintString.nullable(),
    waiting: z.array(
      z.object({
        wallet_address: Eip55,
        asked: UintString,
        paid_now: UintString,
        paid_later: UintString,
        unpaid: UintString,
      }),
    ),
  }),
});

/** How long figures of risk may stand (API, column Stale). */
const staleMs = 120_000;

const count = (most: number) =>
  z
    .string()
    .regex(/^[1-9][0-9]{0,3}$/, `must be 1 to ${most}`)
    .transform(Number)
    .refine((value) => value <= most, { message: `must be 1 to ${most}` });
const share = z
  .string()
  .regex(/^(0(\.[0-9]{1,6})?|1(\.0{1,6})?)$/, 'must be a fraction from 0 to 1')
  .transform(Number);

/** Routes of risk: score, concentration, drawdown, volatility and the run simulator. */
export const riskRoutes = {
  /** @example const risk = await client.analyticsRisk({ params: vault, query: { receipt: 'true' } }); */
  analyticsRisk: analyticsRead({ id: 'analyticsRisk', path: 'risk', kind: 'moment', action: GetRisk, staleMs }),
  /**
   * @example
   * const concentration = await client.analyticsConcentration({ params: vault, query: { block: '21000000' } });
   */
  analyticsConcentration: analyticsRead({
    id: 'analyticsConcentration',
    path: 'risk/concentration',
    kind: 'moment',
    action: GetConcentration,
    staleMs,
  }),
  /** @example const drawdown = await client.analyticsDrawdown({ params: vault, query: { period: '1y' } }); */
  analyticsDrawdown: analyticsRead({
    id: 'analyticsDrawdown',
    path: 'risk/drawdown',
    kind: 'series',
    action: GetDrawdown,
    staleMs,
  }),
  /** @example const volatility = await client.analyticsVolatility({ params: vault, query: { period: '1y' } }); */
  analyticsVolatility: analyticsRead({
    id: 'analyticsVolatility',
    path: 'risk/volatility',
    kind: 'series',
    action: GetVolatility,
    staleMs,
  }),
  /** @example const run = await client.analyticsRun({ params: vault, query: { top_holders: '5' } }); */
  analyticsRun: analyticsRead({
    id: 'analyticsRun',
    path: 'risk/run',
    kind: 'moment',
    action: RunSimulation,
    staleMs,
    query: { top_holders: count(1000).optional(), hours: count(720).optional(), venue_shock: share.optional() },
  }),
};
