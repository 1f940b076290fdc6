/** Wei per gas. A legacy transaction has one price: both are the same then. */
export type Fees = { maxFee: bigint; tip: bigint };

export type FeeSettings = {
  type: 'eip1559' | 'legacy';
  /** Never more than this per gas. */
  maxFeeLimit: bigint;
  minTip: bigint;
  /** Never a higher tip than this, whatever others pay; a legacy transaction has none. */
  maxTip: bigint;
  /** Which of the tips paid in a block counts, 1 to 99. */
  percentile: number;
  /** At least 125, 12.5 %: nodes refuse a replacement below 10 % on either field. */
  bumpPermille: bigint;
  minBump: bigint;
};

export const feeDefaults = {
  type: 'eip1559',
  minTip: 1_000_000n,
  percentile: 60,
  bumpPermille: 125n,
  minBump: 1n,
} as const satisfies Partial<FeeSettings>;

/** What the last blocks say of the price of gas. */
export type Market = {
  nextBaseFee: bigint;
  /** Mean of the tips paid, zeros left out. */
  tip: bigint;
  /** Above this tip a transaction is not left out for its price; 0: the blocks say nothing. */
  highTip: bigint;
};

export const highPercentile = 85;

/** @param rewards - Per block, the tip at the chosen percentile and the one at {@link highPercentile}. */
export function marketOf(baseFees: readonly bigint[], rewards: readonly (readonly bigint[])[]): Market {
  const nextBaseFee = baseFees.at(-1);
  if (nextBaseFee === undefined) throw new Error('The node told no base fee.');
  const paid = rewards.map((reward) => reward[0] ?? 0n).filter((tip) => tip > 0n);
  const sum = paid.reduce((total, tip) => total + tip, 0n);
  const high = rewards.map((reward) => reward[1] ?? 0n);
  return {
    nextBaseFee,
    tip: paid.length > 0 ? sum / BigInt(paid.length) : 0n,
    highTip: high.reduce((most, tip) => (tip > most ? tip : most), 0n),
  };
}

/**
 * Of what several endpoints say, that which makes the lowest offer: one that lies or is confused must not have us pay its price. Too
 * low an offer is raised after some blocks; that it outbids the dearest blocks has to be so by all of them.
 */
export function lowestMarket(markets: readonly [Market, ...Market[]]): Market {
  return markets.reduce((lowest, market) => ({
    nextBaseFee: min(lowest.nextBaseFee, market.nextBaseFee),
    tip: min(lowest.tip, market.tip),
    highTip: max(lowest.highTip, market.highTip),
  }));
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);
const min = (a: bigint, b: bigint) => (a < b ? a : b);
const divUp = (a: bigint, b: bigint) => (a + b - 1n) / b;

/** The base fee after so many full blocks: each raises it by an eighth at most (EIP-1559). */
function worstBaseFee(nextBaseFee: bigint, blocks: number): bigint {
  let fee = nextBaseFee;
  for (let block = 0; block < blocks; block += 1) fee = divUp(fee * 9n, 8n);
  return fee;
}

/** An offer that stays valid until the first bump, within the limits. */
export function offer(market: Market, settings: FeeSettings, bumpAfterBlocks: number): Fees {
  const asked = max(market.tip, settings.minTip);
  const wanted = settings.type === 'legacy' ? asked : min(asked, settings.maxTip);
  const maxFee = min(worstBaseFee(market.nextBaseFee, bumpAfterBlocks + 1) + wanted, settings.maxFeeLimit);
  return settings.type === 'legacy' ? { maxFee, tip: maxFee } : { maxFee, tip: min(wanted, maxFee) };
}

/**
 * A replacement that nodes accept: both fields raised, never below the market, within the limits.
 * @returns null when a limit leaves no room for it.
 */
export function bump(old: Fees, market: Market, settings: FeeSettings, bumpAfterBlocks: number): Fees | null {
  const raised = (fee: bigint) => max(divUp(fee * (1000n + settings.bumpPermille), 1000n), fee + settings.minBump);
  const fresh = offer(market, settings, bumpAfterBlocks);
  const maxFee = min(max(raised(old.maxFee), fresh.maxFee), settings.maxFeeLimit);
  if (maxFee < raised(old.maxFee)) return null;
  if (settings.type !== 'legacy' && raised(old.tip) > settings.maxTip) return null;
  return { maxFee, tip: min(max(raised(old.tip), fresh.tip), maxFee) };
}

/** Whether an offer pays what the next block asks, so that a higher price would not be what it lacks. */
export const paysMarket = (fees: Fees, market: Market): boolean =>
  fees.maxFee >= market.nextBaseFee + market.tip && fees.tip >= market.tip;

/** It outbids the dearest blocks and is still left out: it does not reach those who build them. */
export const outbidsMarket = (fees: Fees, market: Market): boolean =>
  market.highTip > 0n && fees.tip > market.highTip && fees.maxFee >= market.nextBaseFee + fees.tip;
