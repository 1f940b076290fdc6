import { BPS, mulDivDown, mulDivUp } from './math.ts';

/** The strategy refuses a skim for this long after an unpause (SKIM_TIMELOCK_ACTIVE). */
export const SKIM_COOLDOWN_SECONDS = 12n * 3_600n;

/** Inputs of {@link pendingPerformanceFee}. PPS raw over `precision`; supply in share base units. */
export type FeeInputs = {
  pps: bigint;
  hwm: bigint;
  totalSupply: bigint;
  precision: bigint;
  performanceFeeBps: bigint;
  /** The protocol's share of the fee: `governor.getFee(PERFORMANCE_FEE_SHARE)`. */
  protocolShareBps: bigint;
};

/** Asset base units. `total = protocolShare + recipientShare`. */
export type PendingFee = { profit: bigint; total: bigint; protocolShare: bigint; recipientShare: bigint };

/**
 * What a skim would take now: profit = floor((pps - hwm) x supply / precision), fee = ceil(profit x bps / 10 000); the
 * protocol's part is rounded down and the recipient gets the rest. All zero at or below the high-water mark.
 */
export function pendingPerformanceFee(inputs: FeeInputs): PendingFee {
  const { pps, hwm, totalSupply, precision, performanceFeeBps, protocolShareBps } = inputs;
  const profit = pps > hwm ? mulDivDown(pps - hwm, totalSupply, precision) : 0n;
  const total = mulDivUp(profit, performanceFeeBps, BPS);
  const protocolShare = mulDivDown(total, protocolShareBps, BPS);
  return { profit, total, protocolShare, recipientShare: total - protocolShare };
}

type NetPpsInputs = Pick<FeeInputs, 'pps' | 'hwm' | 'performanceFeeBps'>;

/** What the numerator of an exact net PPS is over: a fee of whole basis points leaves ten-thousandths of a raw unit. */
export const NET_PPS_DENOMINATOR = BPS;

/**
 * PPS net of the accrued, unskimmed performance fee, exactly: (p x 10 000 - f x max(0, p - hwm)) / 10 000. Nothing is rounded:
 * the contract rounds the fee of the whole supply, not of one share. A skim lowers the gross PPS and leaves this one where it was.
 * @returns The numerator over {@link NET_PPS_DENOMINATOR}.
 */
export function netPpsNumerator({ pps, hwm, performanceFeeBps }: NetPpsInputs): bigint {
  return pps > hwm ? pps * NET_PPS_DENOMINATOR - (pps - hwm) * performanceFeeBps : pps * NET_PPS_DENOMINATOR;
}

/** A net PPS in raw units for display, rounded down. Figures are computed from {@link netPpsNumerator}. */
export const netPps = (inputs: NetPpsInputs): bigint => netPpsNumerator(inputs) / NET_PPS_DENOMINATOR;

/** Why a skim would fail or do nothing, in the order the contract checks. */
export type SkimBlock = 'paused' | 'stale' | 'expired' | 'cool_down' | 'no_profit' | 'insufficient_free_assets';

/** Inputs of {@link skimEligibility}; times in seconds, amounts in asset base units. */
export type SkimInputs = {
  chainTime: bigint;
  isPaused: boolean;
  isPpsStale: boolean;
  lastUpdateTimestamp: bigint;
  ppsExpiration: bigint;
  /** 0n when the strategy was never unpaused. */
  lastUnpauseTimestamp: bigint;
  /** Asset balance of the strategy. */
  freeAssets: bigint;
  /** `total` of {@link pendingPerformanceFee}. */
  fee: bigint;
};

/** `canSkimAt`: chain time at which a cool-down ends; null unless that is the reason. */
export type SkimEligibility = { canSkim: boolean; reason: SkimBlock | null; canSkimAt: bigint | null };

/** Whether `skimPerformanceFee` would take a fee now, and what is in its way. */
export function skimEligibility(inputs: SkimInputs): SkimEligibility {
  const blocked = (reason: SkimBlock, canSkimAt: bigint | null = null) => ({ canSkim: false, reason, canSkimAt });
  if (inputs.isPaused) return blocked('paused');
  if (inputs.isPpsStale) return blocked('stale');
  if (inputs.chainTime - inputs.lastUpdateTimestamp > inputs.ppsExpiration) return blocked('expired');
  const unlocked = inputs.lastUnpauseTimestamp + SKIM_COOLDOWN_SECONDS;
  if (inputs.lastUnpauseTimestamp > 0n && inputs.chainTime < unlocked) return blocked('cool_down', unlocked);
  if (inputs.fee === 0n) return blocked('no_profit');
  if (inputs.freeAssets < inputs.fee) return blocked('insufficient_free_assets');
  return { canSkim: true, reason: null, canSkimAt: null };
}

/**
 * Entry fee of a deposit (the contract's `managementFeeBps`): ceil(gross x bps / 10 000), paid at once.
 * @param gross - Deposited assets in base units.
 * @returns Fee and what is left to buy shares, in asset base units.
 */
export function entryFee(gross: bigint, managementFeeBps: bigint): { fee: bigint; net: bigint } {
  const fee = mulDivUp(gross, managementFeeBps, BPS);
  return { fee, net: gross - fee };
}

/**
 * Shares for net assets: floor(net x precision / pps).
 * @throws {RangeError} when `pps` is 0n.
 */
export const sharesForAssets = (net: bigint, { pps, precision }: { pps: bigint; precision: bigint }): bigint =>
  mulDivDown(net, precision, pps);
