import { formatUnits, maxUint256 } from 'viem';
import { mulDivDown } from './math.ts';

/** Deviation thresholds on chain are fractions scaled by 1e18. */
const THRESHOLD_SCALE = 10n ** 18n;

/** Inputs of {@link calculatedPps}; amounts in base units of the asset, all read at one block. */
export type Valuation = {
  /** Asset balance of the strategy. Escrowed assets are left out: their shares are burned. */
  idle: bigint;
  /** What each yield source is worth to the strategy; null when it could not be read. */
  sources: readonly { assets: bigint | null }[];
  /** Vault shares, including those waiting in escrow, in base units. */
  totalSupply: bigint;
  /** 10^asset decimals: PPS of 1.0. */
  precision: bigint;
};

/**
 * Price per share from chain state, independent of the oracle: (idle + sum of sources) x precision / supply, rounded down.
 * @returns Raw PPS over `precision`; null when there are no shares or a source is unknown (a partial sum would be wrong).
 */
export function calculatedPps({ idle, sources, totalSupply, precision }: Valuation): bigint | null {
  if (totalSupply === 0n) return null;
  let assets = idle;
  for (const source of sources) {
    if (source.assets === null) return null;
    assets += source.assets;
  }
  return mulDivDown(assets, precision, totalSupply);
}

/**
 * How far the calculated price is from the accepted one: calculated / current - 1.
 * @returns Basis points with four decimals, negative when the calculated price is lower; null without both prices.
 */
export function divergenceBps({ calculated, current }: { calculated: bigint | null; current: bigint }): number | null {
  if (calculated === null || current === 0n) return null;
  return Number(((calculated - current) * 100_000_000n) / current) / 10_000;
}

/**
 * The on-chain deviation guard in basis points.
 * @param threshold - Fraction scaled by 1e18, as `getDeviationThreshold` returns it.
 * @returns Basis points; null when the guard is switched off (`type(uint256).max`).
 */
export const deviationThresholdBps = (threshold: bigint): number | null =>
  threshold === maxUint256 ? null : Number((threshold * 100_000_000n) / THRESHOLD_SCALE) / 10_000;

/**
 * Whether the aggregator would refuse and pause on `next`: |next - current| x 1e18 / current > threshold.
 * The guard is skipped when switched off, when there is no current price, and when the stale flag is set.
 */
export function exceedsDeviation(guard: {
  current: bigint;
  next: bigint;
  threshold: bigint;
  isStale: boolean;
}): boolean {
  const { current, next, threshold, isStale } = guard;
  if (threshold === maxUint256 || current === 0n || isStale) return false;
  const distance = next > current ? next - current : current - next;
  return mulDivDown(distance, THRESHOLD_SCALE, current) > threshold;
}

/** PPS as a decimal number for people: `1050000` with 6 decimals is `1.05`. `decimals` are the asset's. */
export const formatPps = (pps: bigint, decimals: number): string => formatUnits(pps, decimals);

/** A price feed's answer: USD per whole unit of the asset, over 10^decimals. */
export type UsdPrice = { answer: bigint; decimals: number };

/**
 * USD value of an amount, as a JSON number.
 * @param amount - Base units of the asset; null passes through.
 * @param decimals - The asset's.
 * @returns Dollars; null without an amount or a positive price (a feed that answers 0 or less has no price).
 */
export function usdValue(amount: bigint | null, decimals: number, price: UsdPrice | null): number | null {
  if (amount === null || price === null || price.answer <= 0n) return null;
  return Number(formatUnits(amount * price.answer, decimals + price.decimals));
}

/** USD per whole unit of the asset as a JSON number; null when the feed has no positive answer. */
export const usdPrice = (price: UsdPrice | null): number | null => usdValue(1n, 0, price);
