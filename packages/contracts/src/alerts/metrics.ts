import { z } from 'zod';
import type { MandatePromise } from '../mandates/document.ts';

const metricUnits = ['asset', 'usd', 'fraction', 'bps', 'seconds', 'count', 'number', 'points'] as const;
/**
 * What a figure counts. `asset`: base units of the vault's asset, as a decimal string. The others are numbers as their answers have
 * them: `fraction`: 0.05 is 5 %; `bps`: hundredths of a percent; `usd`: US dollars; `points`: of 100.
 */
export const MetricUnit = z.enum(metricUnits);
export type MetricUnit = z.infer<typeof MetricUnit>;

/** Where a figure is answered as well: a field of a read of the vault, or what a promise of a mandate measures. */
type MetricSource = { readonly read: string; readonly field: string } | { readonly promise: MandatePromise['kind'] };

/** A figure that an own rule can be about. */
export type Metric = {
  readonly title: string;
  readonly unit: MetricUnit;
  readonly source: MetricSource;
  /** At which observations of the vault there is a value. */
  readonly known: string;
};

const always = 'At every observation.';
const priced = 'Once the vault has a price.';
const valued = 'Where every source could be valued.';
const inDollars = 'Once the asset has a price in US dollars.';

const overview = (field: string): MetricSource => ({ read: 'analyticsOverview', field });
const risk = (field: string): MetricSource => ({ read: 'analyticsRisk', field });
const operations = (field: string): MetricSource => ({ read: 'analyticsOperations', field });

const metric = (title: string, unit: MetricUnit, source: MetricSource, known: string): Metric => ({
  title,
  unit,
  source,
  known,
});

/** Every figure that an own rule can be about. Each is the named field of the named answer, as of the block of an observation. */
export const alertMetrics = {
  tvl_asset: metric('Value of the vault', 'asset', overview('tvl_asset'), priced),
  tvl_usd: metric('Value of the vault in US dollars', 'usd', overview('tvl_usd'), inDollars),
  tvl_change_24h: metric(
    'Change of the value over 24 hours',
    'fraction',
    overview('tvl_change.h24'),
    'A day after the first price.',
  ),
  tvl_change_7d: metric(
    'Change of the value over 7 days',
    'fraction',
    overview('tvl_change.d7'),
    'A week after the first price.',
  ),
  net_flow_24h: metric('Net flow over 24 hours', 'asset', overview('net_flow.h24'), always),
  net_flow_7d: metric('Net flow over 7 days', 'asset', overview('net_flow.d7'), always),
  net_flow_usd_24h: metric('Net flow over 24 hours in US dollars', 'usd', overview('net_flow_usd.h24'), inDollars),
  apy_7d: metric('APY over 7 days', 'fraction', overview('apy.d7'), 'Once prices cover some of the 7 days.'),
  apy_30d: metric('APY over 30 days', 'fraction', overview('apy.d30'), 'Once prices cover some of the 30 days.'),
  asset_price_usd: metric('Price of the asset', 'usd', overview('asset_price.usd'), inDollars),
  asset_price_age: metric('Age of the price of the asset', 'seconds', overview('asset_price.age_seconds'), inDollars),
  price_age: metric('Age of the share price', 'seconds', { promise: 'price_age' }, always),
  divergence: metric(
    'Calculated over accepted price',
    'bps',
    { read: 'analyticsPps', field: 'calculated.divergence_bps' },
    valued,
  ),
  updates_per_day: metric(
    'Price updates a day',
    'number',
    operations('updates_per_day'),
    'Once two prices were reported.',
  ),
  upkeep_runway: metric(
    'Runway of the upkeep',
    'seconds',
    operations('upkeep.runway_seconds'),
    'While updates cost upkeep.',
  ),
  drawdown: metric(
    'Fall below the highest price',
    'fraction',
    { read: 'analyticsDrawdown', field: 'current_drawdown' },
    priced,
  ),
  max_drawdown_30d: metric('Deepest fall within 30 days', 'fraction', risk('max_drawdown_30d'), priced),
  volatility_daily: metric(
    'Daily volatility',
    'fraction',
    risk('volatility_daily'),
    'Once there are enough daily returns.',
  ),
  risk_score: metric('Risk score', 'points', risk('score'), 'Where most of its parts have data.'),
  idle_share: metric('Idle share of the assets', 'bps', { promise: 'idle_share' }, valued),
  largest_source_share: metric('Share of the largest source', 'bps', { promise: 'source_share' }, valued),
  concentration: metric('Concentration of the allocation (HHI)', 'number', risk('concentration.hhi'), valued),
  sources: metric('Sources that hold assets', 'count', overview('strategies'), always),
  depositors: metric('Depositors', 'count', overview('depositors'), always),
  top_holder_share: metric(
    'Share of the largest holder',
    'fraction',
    risk('top_holder_share'),
    'Once somebody holds shares.',
  ),
  top10_holder_share: metric(
    'Share of the ten largest holders',
    'fraction',
    risk('top10_holder_share'),
    'Once somebody holds shares.',
  ),
  instant_liquidity: metric('What could be paid at once', 'asset', risk('liquidity.instant_assets'), valued),
  instant_share: metric('Share that could be paid at once', 'fraction', risk('liquidity.instant_share'), valued),
  coverage_3: metric(
    'Liquidity over the three largest holders',
    'number',
    risk('liquidity.coverage.k3'),
    'Once somebody holds shares.',
  ),
  redemptions_pending: metric('Redemptions that wait', 'count', operations('redemptions.pending'), always),
  redemptions_assets: metric(
    'Assets of the redemptions that wait',
    'asset',
    operations('redemptions.pending_assets'),
    always,
  ),
  redemptions_oldest: metric(
    'Wait of the oldest redemption',
    'seconds',
    operations('redemptions.oldest_seconds'),
    always,
  ),
} as const satisfies Record<string, Metric>;

/** The names of `alertMetrics`. */
export const alertMetricNames = Object.keys(alertMetrics) as (keyof typeof alertMetrics)[];
/** A figure that an own rule can be about. */
export const AlertMetric = z.enum(alertMetricNames);
export type AlertMetric = z.infer<typeof AlertMetric>;
