import { calculatedPps, type PpsUpdate, type VaultState } from '@castellan/chain';

/** A strategy as read at one block, with what decides whether its price may be reported. */
export type Reading = { strategy: `0x${string}`; state: VaultState };

export type Batch = {
  updates: PpsUpdate[];
  skipped: { strategy: string; reason: 'paused' | 'no_shares' | 'unreadable' | 'too_soon' }[];
};

/**
 * Which strategies to report at `timestamp` (chain time of the block the readings are of) and at what price, ascending by
 * address as the oracle wants them. A strategy that is paused, without shares, not fully readable or not due is left out.
 */
export function composeBatch(readings: readonly Reading[], timestamp: bigint): Batch {
  const batch: Batch = { updates: [], skipped: [] };
  for (const { strategy, state } of [...readings].sort((a, b) => (BigInt(a.strategy) < BigInt(b.strategy) ? -1 : 1))) {
    const pps = calculatedPps({
      idle: state.idleAssets,
      sources: state.sources,
      totalSupply: state.totalSupply,
      precision: state.precision,
    });
    const skip = (reason: Batch['skipped'][number]['reason']) => batch.skipped.push({ strategy, reason });
    if (state.isPaused) skip('paused');
    else if (state.totalSupply === 0n) skip('no_shares');
    else if (pps === null || pps === 0n || state.oracleNonce === null) skip('unreadable');
    else if (timestamp - state.lastUpdateTimestamp < state.minUpdateInterval || timestamp <= state.lastUnpauseTimestamp)
      skip('too_soon');
    else batch.updates.push({ strategy, pps, timestamp, nonce: state.oracleNonce });
  }
  return batch;
}
