import type { PricingRules } from '../ports.ts';

const PPB = 1_000_000_000n;

/** How far `value` lies from `reference`, parts per billion of the reference, rounded up so that no breach is rounded away. */
export const deviationPpb = (value: bigint, reference: bigint): bigint => {
  const difference = value > reference ? value - reference : reference - value;
  return (difference * PPB + reference - 1n) / reference;
};

/** Whether a price is worth a transaction now, and whether the aggregator would take one at that time at all. */
export function isPriceDue(
  { pps, timestamp }: { pps: bigint; timestamp: bigint },
  stored: { lastUpdate: bigint; lastPps: bigint; lastUnpause: bigint; minInterval: bigint; stale: boolean },
  { heartbeatSeconds, alphaReportPpb }: Pick<PricingRules, 'heartbeatSeconds' | 'alphaReportPpb'>,
): boolean {
  const age = timestamp - stored.lastUpdate;
  if (age <= 0n || age < stored.minInterval) return false;
  if (stored.lastUnpause !== 0n && timestamp <= stored.lastUnpause) return false;
  const isFirst = stored.lastUpdate === 0n || stored.lastPps === 0n;
  if (isFirst || stored.stale || age >= BigInt(heartbeatSeconds)) return true;
  return deviationPpb(pps, stored.lastPps) >= alphaReportPpb;
}
