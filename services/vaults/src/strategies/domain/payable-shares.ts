import type { SourceFacts } from './facts.ts';

/**
 * A withdrawal cut to what the source can pay out now, in its shares; 0 when it pays nothing.
 * @param wanted - Shares, not more than are held.
 * @throws RangeError when the source does not give what it holds: nothing may be taken blindly.
 */
export function payableShares(wanted: bigint, source: SourceFacts | undefined): bigint {
  if (!source || source.shares === null || source.amount === null)
    throw new RangeError('The source reports no holdings.');
  const [held, worth] = [BigInt(source.shares), BigInt(source.amount)];
  const most = wanted < held ? wanted : held;
  if (source.available === null) return most;
  const available = BigInt(source.available);
  if (worth === 0n || available >= worth) return most;
  const payable = (held * available) / worth;
  return payable < most ? payable : most;
}
