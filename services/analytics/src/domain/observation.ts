import type { Fact } from './facts.ts';
import type { Dated } from './timeline.ts';

/** One source as it was observed; amounts in base units of the asset, null where it could not be read. */
export type SourceSeen = {
  address: string;
  /** What values it. */
  oracle: string | null;
  assets: bigint | null;
  /** Of the source, that the vault has. */
  shares: bigint | null;
  available: bigint | null;
  pricePerShare: bigint | null;
};

/** A USD price: dollars per whole asset over 10^decimals, as of `updatedAt` (seconds). */
export type Price = { answer: bigint; decimals: number; updatedAt: number };

/** What no event holds, read at one block. Times and durations in seconds, amounts in base units, fees in basis points. */
export type Observation = Dated & {
  readonly pps: bigint;
  readonly calculatedPps: bigint | null;
  readonly hwm: bigint;
  readonly precision: bigint;
  readonly lastUpdate: number;
  readonly idle: bigint;
  readonly assetDecimals: number;
  readonly sources: readonly SourceSeen[];
  readonly price: Price | null;
  readonly isPaused: boolean;
  readonly isStale: boolean;
  readonly performanceFeeBps: bigint;
  readonly entryFeeBps: bigint;
  readonly feeRecipient: string;
  readonly primaryManager: string;
  /** Null where it was not read. */
  readonly primaryManagerKind: 'wallet' | 'contract' | null;
  readonly secondaryManagers: readonly string[];
  readonly upkeepEnabled: boolean;
  readonly upkeepBalance: bigint;
  readonly upkeepCost: bigint | null;
  readonly deviationThreshold: bigint;
  readonly expirationSeconds: number;
  readonly maxStalenessSeconds: number;
  readonly minUpdateIntervalSeconds: number;
};

type Raw = Record<string, unknown>;
const big = (value: unknown): bigint => BigInt(value as string | number);
const bigOrNull = (value: unknown): bigint | null => (value === null || value === undefined ? null : big(value));
const lower = (value: unknown): string => String(value).toLowerCase();

const kindOf = (value: unknown) => (value === 'wallet' || value === 'contract' ? value : null);

function sourceOf(raw: Raw): SourceSeen {
  return {
    address: lower(raw.source_address),
    oracle: raw.oracle_address == null ? null : lower(raw.oracle_address),
    assets: bigOrNull(raw.assets),
    shares: bigOrNull(raw.shares),
    available: bigOrNull(raw.available),
    pricePerShare: bigOrNull(raw.price_per_share),
  };
}

function priceOf(raw: Raw | null): Price | null {
  return raw && { answer: big(raw.answer), decimals: Number(raw.decimals), updatedAt: Number(raw.updated_at) };
}

/** An observation entry of the log in types. */
export function observationOf({ block, time, args }: Fact): Observation {
  return {
    block,
    time,
    pps: big(args.pps),
    calculatedPps: bigOrNull(args.calculated_pps),
    hwm: big(args.hwm_pps),
    precision: big(args.pps_precision),
    lastUpdate: Number(args.last_update_timestamp),
    idle: big(args.idle),
    assetDecimals: Number(args.asset_decimals),
    sources: (args.allocation as Raw[]).map(sourceOf),
    price: priceOf(args.price as Raw | null),
    isPaused: args.is_paused === true,
    isStale: args.is_pps_stale === true,
    performanceFeeBps: big(args.performance_fee_bps),
    entryFeeBps: big(args.management_fee_bps),
    feeRecipient: lower(args.fee_recipient),
    primaryManager: lower(args.primary_manager),
    primaryManagerKind: kindOf(args.primary_manager_kind),
    secondaryManagers: (args.secondary_managers as unknown[]).map(lower),
    upkeepEnabled: args.upkeep_enabled === true,
    upkeepBalance: big(args.upkeep_balance),
    upkeepCost: bigOrNull(args.upkeep_cost_per_update),
    deviationThreshold: big(args.deviation_threshold),
    expirationSeconds: Number(args.pps_expiration_seconds),
    maxStalenessSeconds: Number(args.max_staleness_seconds),
    minUpdateIntervalSeconds: Number(args.min_update_interval_seconds),
  };
}
