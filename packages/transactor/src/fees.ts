import type { GasPrice, Market, PriceSource } from './market.ts';

/** Wei per gas. A legacy transaction has one price: both are the same then. */
export type Fees = { readonly maxFee: bigint; readonly tip: bigint };

/** What the owner of an account may pay; in wei per gas where nothing else is said. */
export type FeePolicy = PriceSource & {
  /** Never more than this per gas. */
  maxFeeLimit: bigint;
  minTip: bigint;
  /** Never a higher tip than this, whatever others pay; a legacy transaction has none. */
  maxTip: bigint;
  /** At least 125, 12.5 %: nodes refuse a replacement below 10 % on either field. */
  bumpPermille: bigint;
  minBump: bigint;
};

/** What both users of this package start from; the limits are theirs. */
export const feeDefaults = {
  type: 'eip1559',
  minTip: 1_000_000n,
  percentile: 60,
  bumpPermille: 125n,
  minBump: 1n,
} as const satisfies Partial<FeePolicy>;

const max = (a: bigint, b: bigint) => (a > b ? a : b);
const min = (a: bigint, b: bigint) => (a < b ? a : b);
const divUp = (a: bigint, b: bigint) => (a + b - 1n) / b;

/** The base fee after so many full blocks: each raises it by an eighth at most (EIP-1559). */
function worstBaseFee(baseFee: bigint, blocks: number): bigint {
  let fee = baseFee;
  for (let block = 0; block < blocks; block += 1) fee = divUp(fee * 9n, 8n);
  return fee;
}

/**
 * What a form that does something may be offered: so much less than the limits that one replacement of it fits below them, by which
 * it can be taken back. A tip that is the least at all stays.
 */
export function belowCancel(policy: FeePolicy): FeePolicy {
  const { maxFeeLimit, maxTip, minTip, bumpPermille, minBump } = policy;
  const below = (limit: bigint) => min((limit * 1000n) / (1000n + bumpPermille), max(limit - minBump, 0n));
  return { ...policy, maxFeeLimit: below(maxFeeLimit), maxTip: max(below(maxTip), min(minTip, maxTip)) };
}

/** An offer that stays valid until the first bump, within the limits. */
export function offer(market: GasPrice, policy: FeePolicy, bumpAfterBlocks: number): Fees {
  const asked = max(market.tip, policy.minTip);
  const wanted = policy.type === 'legacy' ? asked : min(asked, policy.maxTip);
  const maxFee = min(worstBaseFee(market.baseFee, bumpAfterBlocks + 1) + wanted, policy.maxFeeLimit);
  return policy.type === 'legacy' ? { maxFee, tip: maxFee } : { maxFee, tip: min(wanted, maxFee) };
}

/**
 * A replacement that nodes accept: both fields raised, never below the market, within the limits.
 * @returns null when a limit leaves no room for it.
 */
export function bump(old: Fees, market: GasPrice, policy: FeePolicy, bumpAfterBlocks: number): Fees | null {
  const raised = (fee: bigint) => max(divUp(fee * (1000n + policy.bumpPermille), 1000n), fee + policy.minBump);
  const fresh = offer(market, policy, bumpAfterBlocks);
  const maxFee = min(max(raised(old.maxFee), fresh.maxFee), policy.maxFeeLimit);
  if (maxFee < raised(old.maxFee)) return null;
  if (policy.type !== 'legacy' && raised(old.tip) > policy.maxTip) return null;
  return { maxFee, tip: min(max(raised(old.tip), fresh.tip), maxFee) };
}

/** Whether an offer pays what the next block asks, so that a higher price would not be what it lacks. */
export const paysMarket = (fees: Fees, market: GasPrice): boolean =>
  fees.maxFee >= market.baseFee + market.tip && fees.tip >= market.tip;

/** It outbids the dearest blocks and is still left out: it does not reach those who build them. */
export const outbidsMarket = (fees: Fees, market: Market): boolean =>
  market.highTip > 0n && fees.tip > market.highTip && fees.maxFee >= market.baseFee + fees.tip;
