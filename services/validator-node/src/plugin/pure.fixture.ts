import type { Address, Hex } from 'viem';
import type { PricingRules } from '../ports.ts';
import type { ReportRules } from './aggregate.ts';
import type { ChainObservation, PriceEntry } from './observation.ts';

export const strategyAt = (index: number): Address => `0x${String(index).padStart(40, '0')}`;
export const blockHash: Hex = `0x${'ab'.repeat(32)}`;

/** A strategy whose price is due: 120 s old, heartbeat 60 s. */
export const anEntry = (changes: Partial<PriceEntry> = {}): PriceEntry => ({
  strategy: strategyAt(1),
  pps: 1_000_000n,
  nonce: 5n,
  lastPps: 1_000_000n,
  lastUpdate: 1_000n,
  lastUnpause: 0n,
  minInterval: 60n,
  deviationThreshold: 5n * 10n ** 17n,
  paused: false,
  stale: false,
  upkeepShort: false,
  ...changes,
});

export const aChain = (
  entries: readonly PriceEntry[],
  changes: Partial<Omit<ChainObservation, 'entries'>> = {},
): ChainObservation => ({ chainId: 31_337, blockNumber: 50n, blockHash, timestamp: 1_120n, ...changes, entries });

export const somePricing: PricingRules = { heartbeatSeconds: 60, alphaReportPpb: 1_000_000n, strategies: null };
export const someRules: ReportRules = { f: 1, pricing: somePricing };
