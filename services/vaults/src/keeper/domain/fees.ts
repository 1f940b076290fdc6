/** Wei per gas. */
export type Fees = { readonly maxFee: bigint; readonly tip: bigint };

/** What the next block asks, and the tip that nodes suggest. */
export type Market = { readonly baseFee: bigint; readonly tip: bigint };

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** An offer that stands while the base fee doubles, which takes six full blocks at least (EIP-1559). Never above the limit. */
export function offer({ baseFee, tip }: Market, limit: bigint): Fees {
  const maxFee = min(baseFee * 2n + tip, limit);
  return { maxFee, tip: min(tip, maxFee) };
}

/** Nodes refuse a replacement below 10 % more on either field. */
const raised = (fee: bigint): bigint => (fee * 1_125n + 999n) / 1_000n + 1n;

/**
 * A replacement that nodes accept: both fields raised, never below the market.
 * @returns null when the limit leaves no room for it.
 */
export function bump(old: Fees, market: Market, limit: bigint): Fees | null {
  const least = raised(old.maxFee);
  if (least > limit) return null;
  const fresh = offer(market, limit);
  const maxFee = max(least, fresh.maxFee);
  return { maxFee, tip: min(max(raised(old.tip), fresh.tip), maxFee) };
}
