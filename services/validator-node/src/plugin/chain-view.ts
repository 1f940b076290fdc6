import type { Address, Hex } from 'viem';
import type { SignedPrice } from '../ports.ts';
import type { ChainObservation } from './observation.ts';

/** What the contracts of one chain hold of one strategy at the latest block. */
export type StrategyState = {
  nonce: bigint;
  lastPps: bigint;
  lastUpdate: bigint;
  lastUnpause: bigint;
  minInterval: bigint;
  maxStaleness: bigint;
  deviationThreshold: bigint;
  paused: boolean;
  stale: boolean;
};

/** States by strategy, lower case, and the chain time they were read at; a strategy that could not be read is missing. */
export type ChainStates = { timestamp: bigint; states: ReadonlyMap<string, StrategyState> };

/** One chain as the plugin sees it. */
export type ChainView = {
  chainId: number;
  /** Domain of the oracle's signatures; null until the contract was seen to take one of ours. */
  separator(): Hex | null;
  /**
   * What can be read until `deadline` is aborted: entries that are ready by then.
   * @returns null when nothing could be read; events say why.
   */
  observe(deadline: AbortSignal): Promise<ChainObservation | null>;
  /** @throws when no node of the chain answers. */
  states(strategies: readonly Address[]): Promise<ChainStates>;
  /** Whether the contract would take these signatures now. @throws when no node of the chain answers. */
  takes(price: SignedPrice): Promise<boolean>;
};
