import { z } from 'zod';
import { action } from '../action.ts';
import { Hash, IntString, IsoTime, Seconds, UintString } from '../primitives.ts';
import { answerFields, Count, ExactPps, Fraction, SourceCounts, seriesFields, Usd } from './figures.ts';
import { analyticsRead } from './read-route.ts';
import { momentParams, seriesParams } from './request.ts';

/** How a change of TVL in USD came about; the four add up to it exactly. `fees` are performance fees taken out, negative. */
export const ChangeSplit = z.object({ flow: Usd, yield: Usd, fees: Usd, price: Usd, total: Usd });

/** Headline figures of one vault. APY is annualised over 365 days from net PPS; fractions, signed. */
export const GetOverview = action('v1.analytics.overview', {
  callers: { user: 'read', relayedBy: ['ai'], services: ['gateway', 'users'] },
  params: momentParams({}),
  result: z.object({
    ...answerFields,
    apy: z.object({ current: Fraction, d7: Fraction, d30: Fraction, since_inception: Fraction }),
    /** What USD figures of now rest on, and how old it is; null without a price. */
    asset_price: z.object({ usd: z.number(), updated_at: IsoTime, age_seconds: Seconds }).nullable(),
    tvl_usd: Usd,
    tvl_asset: UintString.nullable(),
    /** Of the asset amount. */
    tvl_change: z.object({ h24: Fraction, d7: Fraction }),
    tvl_change_usd: z.object({ h24: Fraction, d7: Fraction }),
    tvl_change_split: z.object({ h24: ChangeSplit, d7: ChangeSplit }),
    depositors: Count,
    strategies: SourceCounts.strategies,
    empty_sources: SourceCounts.empty_sources,
    net_flow: z.object({ h24: IntString, d7: IntString, d30: IntString }),
    net_flow_usd: z.object({ h24: Usd, d7: Usd, d30: Usd }),
  }),
});

const PpsMarker = z.object({
  t: IsoTime,
  kind: z.enum(['skim', 'pause', 'unpause', 'stale', 'hwm_reset', 'fee_config', 'check_failed']),
  label: z.string(),
  block: z.int(),
  tx_hash: Hash,
});

/** Gross and net PPS as a step function; `t` is the time inside the report, not of its block. */
export const GetPps = action('v1.analytics.pps', {
  callers: { user: 'read', relayedBy: ['ai'], services: ['gateway', 'users'] },
  params: seriesParams({}),
  result: z.object({
    ...answerFields,
    ...seriesFields,
    pps_precision: UintString,
    points: z.array(
      z.object({
        t: IsoTime,
        pps: UintString,
        pps_display: z.string(),
        net_pps: UintString.nullable(),
        net_pps_exact: ExactPps.nullable(),
        source: z.enum(['oracle', 'skim', 'init']),
        block: z.int(),
        tx_hash: Hash,
      }),
    ),
    current: z
      .object({
        pps: UintString,
        pps_display: z.string(),
        net_pps: UintString.nullable(),
        net_pps_exact: ExactPps.nullable(),
        t: IsoTime,
      })
      .nullable(),
    calculated: z
      .object({ pps: UintString, pps_display: z.string(), t: IsoTime, divergence_bps: z.number().nullable() })
      .nullable(),
    hwm: z.object({ pps: UintString, pps_display: z.string(), distance: Fraction }).nullable(),
    /**
     * The mark over the range, each value until the next: what was in force when it began, then each move, resets included. Of more
     * moves than `points` each bucket keeps its last.
     */
    hwm_steps: z.array(z.object({ t: IsoTime, pps: UintString, pps_display: z.string() })),
    /** When the accepted price can no longer be used on chain. */
    expiry: z.object({ expires_at: IsoTime, expiration_seconds: Seconds }).nullable(),
    cadence: z.object({
      p50_seconds: Seconds.nullable(),
      p95_seconds: Seconds.nullable(),
      max_seconds: Seconds.nullable(),
      reports: Count,
    }),
    /** Oldest first. Of more than `points` each kind gets an equal part, and each of its buckets keeps its last. */
    markers: z.array(PpsMarker),
  }),
});

/** Assets under management at each point, in asset units and in USD at the price of that time. */
export const GetTvlSeries = action('v1.analytics.performanceTvl', {
  callers: { user: 'read', services: ['gateway', 'users'] },
  params: seriesParams({}),
  result: z.object({
    ...answerFields,
    ...seriesFields,
    points: z.array(z.object({ t: IsoTime, tvl_usd: Usd, tvl_asset: UintString })),
  }),
});

/** How long figures of price and value may stand (API, column Stale). */
const staleMs = 15_000;

/** Routes of what the first view of a vault shows: its headline figures, the course of its price and of its value. */
export const overviewRoutes = {
  /** @example const overview = await client.analyticsOverview({ params: vault }); */
  analyticsOverview: analyticsRead({
    id: 'analyticsOverview',
    path: 'overview',
    kind: 'moment',
    action: GetOverview,
    staleMs,
  }),
  /** @example const series = await client.analyticsPps({ params: vault, query: { period: '30d', points: '200' } }); */
  analyticsPps: analyticsRead({ id: 'analyticsPps', path: 'pps', kind: 'series', action: GetPps, staleMs }),
  /** @example const series = await client.analyticsTvl({ params: vault, query: { period: '30d' } }); */
  analyticsTvl: analyticsRead({
    id: 'analyticsTvl',
    path: 'performance/tvl',
    kind: 'series',
    action: GetTvlSeries,
    staleMs,
  }),
};
