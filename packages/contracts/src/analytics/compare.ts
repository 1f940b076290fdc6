import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, Eip55, IsoTime, Seconds, VaultRef } from '../primitives.ts';
import { Quality, Receipt } from './figures.ts';
import { PeriodParam, PointsNumber, periods } from './request.ts';

/** Figures that vaults are compared by. */
export const compareMetrics = [
  'apy_7d',
  'apy_30d',
  'period_return',
  'tvl_usd',
  'max_drawdown',
  'volatility_daily',
  'hhi',
  'depositors',
  'retention_30d',
  'net_flow_usd',
  'risk_score',
] as const;
/** Lines that vaults are compared by. */
export const compareSeries = ['return', 'apy', 'tvl_usd', 'drawdown'] as const;

/** A vault of a comparison; with a block as it was then. */
const ComparedVault = VaultRef.extend({ block: z.int().nonnegative().optional() });

/** Two to ten vaults side by side: a table of metrics, and series over one set of times. */
export const CompareVaults = action('v1.analytics.compare', {
  callers: { user: 'read', services: ['gateway'] },
  params: z.strictObject({
    vaults: z.array(ComparedVault).min(2).max(10),
    period: z.enum(periods).default('30d'),
    metrics: z.array(z.enum(compareMetrics)).min(1).max(compareMetrics.length).optional(),
    series: z.array(z.enum(compareSeries)).max(compareSeries.length).optional(),
    points: z.int().min(2).max(2000).default(120),
    receipt: z.boolean().default(false),
  }),
  result: z.object({
    period: z.enum(periods),
    from: IsoTime,
    to: IsoTime,
    interval_seconds: Seconds,
    table: z.array(
      z.object({
        chain_id: ChainId,
        vault_address: Eip55,
        name: z.string(),
        as_of: IsoTime,
        block_number: z.int(),
        metrics: z.record(z.string(), z.number().nullable()),
        quality: z.record(z.string(), Quality),
      }),
    ),
    /** `values` in the order of `table`; null where a vault has no value at that time. */
    series: z.record(z.string(), z.array(z.object({ t: IsoTime, values: z.array(z.number().nullable()) }))),
    /** Of every figure, by its path: `table.0.metrics.apy_7d`, `series.return.3.values.1`. */
    receipts: z.record(z.string(), Receipt).optional(),
  }),
});

/** Body of the compare route. */
export const CompareBody = z.strictObject({
  vaults: z
    .array(z.strictObject({ chain_id: ChainId, vault_address: Address, block: z.int().nonnegative().optional() }))
    .min(2)
    .max(10),
  period: PeriodParam.optional(),
  metrics: z.array(z.enum(compareMetrics)).min(1).optional(),
  series: z.array(z.enum(compareSeries)).optional(),
  points: PointsNumber.optional(),
  receipt: z.boolean().optional(),
});
