import type { Address } from 'viem';
import type { PhaseName, PhaseResult } from '../ports.ts';

/** Events of the plugin and of the readers of the chain. Never awaited, never throws. */
export type PluginEvent =
  | { type: 'phase'; phase: PhaseName; result: PhaseResult; seconds: number }
  | {
      type: 'observation';
      chainId: number;
      /** null: the whole chain. */
      strategy: Address | null;
      result: 'success' | 'error' | 'skipped';
      /** Of an error or a strategy passed over; null on success. */
      reason: string | null;
    }
  | { type: 'pps_fetch'; chainId: number; result: 'success' | 'error' | 'zero'; seconds: number }
  | { type: 'insufficient_observations'; chainId: number; strategy: Address; observers: number }
  | { type: 'held'; chainId: number; strategy: Address; reason: 'upkeep' | 'deviation' }
  /** This price will pause the strategy: it lies beyond the threshold of the aggregator. */
  | { type: 'deviation_trip'; chainId: number; strategy: Address; ppb: bigint }
  | { type: 'stale_report'; phase: 'report' | 'should_accept' | 'should_transmit' }
  | { type: 'deviation_rejected'; chainId: number; strategy: Address; ppb: bigint }
  | { type: 'nonce_mismatch'; chainId: number; strategy: Address }
  /** How far the latest report lies from what this node observed itself. */
  | { type: 'pps_deviation'; chainId: number; strategy: Address; ppb: bigint }
  | { type: 'pack_error'; chainId: number; strategy: Address | null; reason: string }
  | { type: 'chain_ready'; chainId: number }
  | { type: 'chain_refused'; chainId: number; reason: string }
  /** No answer: it is tried again by the next observation. */
  | { type: 'signing_check_failed'; chainId: number; error: unknown };

export type PluginObserver = (event: PluginEvent) => void;
