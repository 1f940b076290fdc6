import { maxUint256 } from 'viem';
import type { StrategyState } from './chain-view.ts';
import { deviationPpb } from './price-due.ts';
import type { ReportEntry } from './report.ts';

/** This node's own limits; peers may have others. Chain seconds. */
export type PluginSettings = {
  /** A report older than this is neither signed nor sent. */
  maxStaleSeconds: number;
  /** A price that lies further from this node's own observation is not signed; null: the check is off. */
  maxDeviationPpb: bigint | null;
  /** How far a report may lie ahead of the latest block this node knows: nodes are not equally far. */
  futureToleranceSeconds: number;
  /** Does not send a price that would pause its strategy, though the network agreed on it. */
  holdDeviating: boolean;
};

export type SignRefusal = 'invalid_pps' | 'stale' | 'future' | 'nonce_mismatch' | 'deviation';

/**
 * Why this node does not sign an entry; null: it does.
 * @param now - Chain time of the latest block this node knows, never a wall clock.
 * @param own - What this node observed itself; undefined when it could not read the strategy.
 */
export function signRefusal(
  entry: ReportEntry,
  { now, state, own }: { now: bigint; state: StrategyState; own: bigint | undefined },
  { maxStaleSeconds, maxDeviationPpb, futureToleranceSeconds }: PluginSettings,
): SignRefusal | null {
  if (entry.pps <= 0n) return 'invalid_pps';
  if (now - entry.timestamp > BigInt(maxStaleSeconds)) return 'stale';
  if (entry.timestamp > now + BigInt(futureToleranceSeconds)) return 'future';
  if (state.nonce > entry.nonce) return 'nonce_mismatch';
  const isFar = own !== undefined && maxDeviationPpb !== null && deviationPpb(entry.pps, own) > maxDeviationPpb;
  return isFar ? 'deviation' : null;
}

export type SendRefusal = 'nonce_mismatch' | 'stale' | 'future' | 'paused' | 'too_soon';

/** Why the aggregator would not store an entry now, as far as can be known before; null: nothing speaks against it. */
export function sendRefusal(
  entry: ReportEntry,
  now: bigint,
  state: StrategyState,
  { maxStaleSeconds, futureToleranceSeconds }: PluginSettings,
): SendRefusal | null {
  const age = now - entry.timestamp;
  if (entry.nonce !== state.nonce) return 'nonce_mismatch';
  if (age > BigInt(maxStaleSeconds) || age >= state.maxStaleness) return 'stale';
  if (-age > BigInt(futureToleranceSeconds)) return 'future';
  if (state.paused) return 'paused';
  const isOld =
    entry.timestamp <= state.lastUpdate || (state.lastUnpause !== 0n && entry.timestamp <= state.lastUnpause);
  return isOld || entry.timestamp - state.lastUpdate < state.minInterval ? 'too_soon' : null;
}

/** Whether storing this price would pause its strategy, by the aggregator's own arithmetic. */
export function tripsDeviation(pps: bigint, { lastPps, stale, deviationThreshold }: StrategyState): boolean {
  if (deviationThreshold === maxUint256 || lastPps === 0n || stale) return false;
  const difference = pps > lastPps ? pps - lastPps : lastPps - pps;
  return (difference * 10n ** 18n) / lastPps > deviationThreshold;
}
