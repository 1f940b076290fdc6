import pLimit, { type LimitFunction } from 'p-limit';
import type { Address } from 'viem';
import { beforeDeadline } from './deadline.ts';
import { ChainReadError } from './endpoints.ts';

/**
 * Reads of strategies, so many at a time. One that is slow, as a vault with many or hanging yield sources is, gives its place
 * up at the deadline and stands behind all others from then on, until it is in time again.
 */
export class StrategyReads {
  readonly #limit: LimitFunction;
  readonly #late = new Set<string>();

  constructor(atOnce: number) {
    this.#limit = pLimit(atOnce);
  }

  /** Those that were in time first. */
  inOrder(strategies: readonly Address[]): Address[] {
    const isLate = (strategy: Address) => this.#late.has(strategy.toLowerCase());
    return [...strategies].sort((a, b) => Number(isLate(a)) - Number(isLate(b)));
  }

  /** @throws ChainReadError `deadline`, whether it was read or still waited for a place. */
  async run<T>(strategy: Address, deadline: AbortSignal, read: () => Promise<T>): Promise<T> {
    const key = strategy.toLowerCase();
    const inPlace = async () => {
      deadline.throwIfAborted();
      try {
        const value = await beforeDeadline(read(), deadline);
        this.#late.delete(key);
        return value;
      } catch (error) {
        if (error instanceof ChainReadError && error.fault === 'deadline') this.#late.add(key);
        throw error;
      }
    };
    return beforeDeadline(this.#limit(inPlace), deadline);
  }
}
