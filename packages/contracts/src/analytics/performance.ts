import { z } from 'zod';
import { action } from '../action.ts';
import { Eip55, IntString, IsoTime, Seconds, UintString } from '../primitives.ts';
import { answerFields, Count, ExactPps, Fraction, seriesFields, Usd } from './figures.ts';
import { ChangeSplit } from './overview.ts';
import { analyticsRead } from './read-route.ts';
import { momentParams, rangeParams, seriesParams } from './request.ts';

/** If the calculated PPS were reported now: what the chain would do with it. */
export const GetPpsWhatIf = action('v1.analytics.ppsWhatIf', {
  callers: { user: 'read', relayedBy: ['ai'], services: ['gateway'] },
  params: momentParams({ pps: UintString.optional() }),
  result: z.object({
    ...answerFields,
    current_pps: UintString.nullable(),
    next_pps: UintString.nullable(),
    change_bps: z.number().nullable(),
    accepted: z.boolean().nullable(),
    /** The first guard that would stop it, in the order of the contract. */
    guards: z.array(
      z.object({
        name: z.enum(['paused', 'min_update_interval', 'deviation', 'upkeep']),
        tripped: z.boolean(),
        detail: z.string(),
      }),
    ),
    would_pause: z.boolean().nullable(),
    /** What a skim right after it would take. */
    fee: z.object({ total: UintString, profit: UintString }).nullable(),
    next_net_pps: UintString.nullable(),
    next_net_pps_exact: ExactPps.nullable(),
    upkeep_after: UintString.nullable(),
  }),
});

const PerPeriod = z.object({ h24: Fraction, d7: Fraction, d30: Fraction, d90: Fraction, since_inception: Fraction });

/** What vaults of the asset are measured by. */
const Benchmark = z.object({
  name: z.string(),
  version: z.string(),
  /** What it earned a year over the range, or since its first value in it; 0 of holding the asset. */
  rate: z.number(),
  /** Where its values are from; `holding` where the asset has no benchmark: nothing is earned then. */
  source: z.enum(['feed', 'file', 'yield_source', 'holding']),
});

/** Returns of one vault, over fixed windows and over the asked range. */
export const GetPerformance = action('v1.analytics.performance', {
  callers: { user: 'read', relayedBy: ['ai'], services: ['gateway', 'users'] },
  params: rangeParams({}),
  result: z.object({
    ...answerFields,
    annualization: z.literal('compound/365d'),
    period: z.string().nullable(),
    from: IsoTime,
    to: IsoTime,
    apy: z.object({ current: Fraction, d7: Fraction, d30: Fraction, d90: Fraction, since_inception: Fraction }),
    gross_apy: z.object({ d7: Fraction, d30: Fraction, d90: Fraction, since_inception: Fraction }),
    /** What the performance fee took of the APY: before it less after it. */
    fee_drag: z.object({ d7: Fraction, d30: Fraction, d90: Fraction, since_inception: Fraction }),
    period_return: PerPeriod,
    /** Time-weighted return over the asked range. */
    twr: Fraction,
    apr: Fraction,
    benchmark: Benchmark,
    /** `twr` less what the benchmark returned in the same time; null where the asset has none. */
    excess_return: Fraction,
    /** Share of the range's daily closes below the highest net PPS since inception. */
    time_in_loss: Fraction,
    /** Fall since inception that the range begins with: drawdown at its first observation. */
    carried_in: Fraction,
    drawdown_now: Fraction,
    tvl_usd: Usd,
    tvl_asset: UintString.nullable(),
    tvl_change: z.object({ h24: Fraction, d7: Fraction, d30: Fraction }),
    tvl_change_split: z.object({ h24: ChangeSplit, d7: ChangeSplit, d30: ChangeSplit }),
  }),
});

/**
 * Returns beside those of the benchmark of the asset. Figures are null, and `insufficient` in `quality`, where the asset has none or it
 * begins later than the range.
 */
const GetBenchmark = action('v1.analytics.performanceBenchmark', {
  callers: { user: 'read', services: ['gateway'] },
  params: seriesParams({}),
  result: z.object({
    ...answerFields,
    ...seriesFields,
    benchmark: Benchmark.extend({
      /** The contract that its values are read from; null of a file. */
      address: Eip55.nullable(),
    }),
    /** Of the net price, between the two reports that the range rests on. */
    vault_return: Fraction,
    /** Between the times of the same two reports. */
    benchmark_return: Fraction,
    /** The first less the second. */
    excess_return: Fraction,
    /** Sample deviation of the daily differences from the benchmark, a year. */
    tracking_error: Fraction,
    /** Mean daily difference for its deviation, a year; null below a tracking error of 0.5 %. */
    information_ratio: z.number().nullable(),
    /** Number of daily returns that the two rest on; 20 are needed. */
    days: Count,
    /** Returns since the first of the two reports. */
    points: z.array(z.object({ t: IsoTime, vault: Fraction, benchmark: Fraction })),
  }),
});

/** A part of what changed: assets, null where it is not known, and what they are worth in USD at the mean of the prices at both ends. */
export const BridgeLeg = z.object({ assets: IntString.nullable(), usd: Usd });
/** What a vault was worth at an end of the range. */
export const BridgeEnd = z.object({ assets: UintString, usd: Usd });

/**
 * How the value at the start of a range became the value at its end: flow + yield + fees = change in assets, and with price = change in
 * USD, exactly. The yield once more by the source that earned it, as far as positions were observed: the sources + reporting_lag +
 * not_observed + residual = yield, exactly.
 */
export const GetValueBridge = action('v1.analytics.performanceBridge', {
  callers: { user: 'read', services: ['gateway', 'users'] },
  params: rangeParams({}),
  result: z.object({
    ...answerFields,
    period: z.string().nullable(),
    from: IsoTime,
    to: IsoTime,
    start: BridgeEnd,
    end: BridgeEnd,
    /** Deposits less entry fees less fulfilled redemptions. */
    flow: BridgeLeg,
    yield: BridgeLeg,
    /** Performance fees taken out, negative. */
    fees: BridgeLeg,
    /** What the price of the asset did to the mean of both ends. */
    price: z.object({ usd: Usd }),
    total: z.object({ assets: IntString, usd: Usd }),
    yield_by: z.object({
      /** The first and the last observation of positions that sources are compared by. */
      observed: z.object({ from: IsoTime, to: IsoTime }).nullable(),
      sources: z.array(z.object({ source_address: Eip55, kind: z.enum(['source', 'idle']), ...BridgeLeg.shape })),
      /** What the reported price moved more than the positions did: gains of before that it shows only now, less what it does not show yet. */
      reporting_lag: BridgeLeg,
      /** Yield of the part of the range that has no observations. */
      not_observed: BridgeLeg,
      /** What none of these explains: cost of moving assets between sources, gains within a move, rounding. */
      residual: BridgeLeg,
    }),
  }),
});

/** Trailing APY at each point, over `window_seconds` before it. */
export const GetApySeries = action('v1.analytics.performanceApy', {
  callers: { user: 'read', services: ['gateway'] },
  params: seriesParams({ window: z.enum(['24h', '7d', '30d']).default('7d') }),
  result: z.object({
    ...answerFields,
    ...seriesFields,
    window_seconds: Seconds,
    points: z.array(z.object({ t: IsoTime, apy: Fraction })),
  }),
});

/** Where the assets were, as observed. Shares of one point sum to 1. */
export const GetAllocationSeries = action('v1.analytics.allocation', {
  callers: { user: 'read', services: ['gateway'] },
  params: seriesParams({}),
  result: z.object({
    ...answerFields,
    ...seriesFields,
    sources: z.array(z.object({ source_address: Eip55, kind: z.enum(['source', 'idle']), apy: Fraction })),
    points: z.array(
      z.object({
        t: IsoTime,
        sources: z.array(z.object({ source_address: Eip55, assets: UintString.nullable(), share: Fraction })),
      }),
    ),
  }),
});

/** How long figures of price and return may stand (API, column Stale). */
const staleMs = 15_000;

const uint = z.string().regex(/^(0|[1-9][0-9]{0,77})$/, 'must be a raw PPS, a decimal integer');

/** Routes of return, APY, allocation, and of what a price would do. */
export const performanceRoutes = {
  /** @example const whatIf = await client.analyticsPpsWhatIf({ params: vault, query: { pps: '1020000' } }); */
  analyticsPpsWhatIf: analyticsRead({
    id: 'analyticsPpsWhatIf',
    path: 'pps/what-if',
    kind: 'moment',
    action: GetPpsWhatIf,
    staleMs,
    query: { pps: uint.optional() },
  }),
  /** @example const performance = await client.analyticsPerformance({ params: vault, query: { period: '90d' } }); */
  analyticsPerformance: analyticsRead({
    id: 'analyticsPerformance',
    path: 'performance',
    kind: 'range',
    action: GetPerformance,
    staleMs,
  }),
  /** @example const benchmark = await client.analyticsBenchmark({ params: vault, query: { period: '90d' } }); */
  analyticsBenchmark: analyticsRead({
    id: 'analyticsBenchmark',
    path: 'performance/benchmark',
    kind: 'series',
    action: GetBenchmark,
    staleMs,
  }),
  /** @example const bridge = await client.analyticsBridge({ params: vault, query: { period: '90d' } }); */
  analyticsBridge: analyticsRead({
    id: 'analyticsBridge',
    path: 'performance/bridge',
    kind: 'range',
    action: GetValueBridge,
    staleMs,
  }),
  /** @example const series = await client.analyticsApy({ params: vault, query: { period: '90d', window: '7d' } }); */
  analyticsApy: analyticsRead({
    id: 'analyticsApy',
    path: 'performance/apy',
    kind: 'series',
    action: GetApySeries,
    staleMs,
    query: { window: z.enum(['24h', '7d', '30d']).optional() },
  }),
  /** @example const series = await client.analyticsAllocation({ params: vault, query: { period: '30d' } }); */
  analyticsAllocation: analyticsRead({
    id: 'analyticsAllocation',
    path: 'allocation',
    kind: 'series',
    action: GetAllocationSeries,
    staleMs,
  }),
};
