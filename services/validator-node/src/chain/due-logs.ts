import { bloomMayHold, type RangeState } from '@castellan/chain';
import type { Address, Hash, Hex } from 'viem';
import type { Clock } from '../ports.ts';

export type SeenHead = { number: bigint; hash: Hash; parentHash: Hash; logsBloom: Hex | null };

/** Blocks that hold no logs of the contracts are read together, once in so long. */
const REST_MS = 15_000;

/**
 * Says when logs must be read: at once when a head may hold some by its bloom filter, or when the block before it was not seen;
 * else now and then. Nothing is left out: what waits is read with what comes next.
 */
export class DueLogs {
  readonly #addresses: readonly Address[];
  readonly #clock: Pick<Clock, 'now'>;
  #tip: Hash | null = null;
  /** The newest block that may hold logs and was not read. */
  #loud: bigint | null = null;
  #readAt: number | null = null;

  constructor(addresses: readonly Address[], clock: Pick<Clock, 'now'>) {
    this.#addresses = addresses;
    this.#clock = clock;
  }

  /** To be asked with each head. */
  isDue({ number, hash, parentHash, logsBloom }: SeenHead, { blooms }: RangeState): boolean {
    const isKnown = hash === this.#tip;
    const isQuiet = parentHash === this.#tip && logsBloom !== null && !bloomMayHold(logsBloom, this.#addresses);
    this.#tip = hash;
    if (!isKnown && (!isQuiet || blooms === 'useless')) this.#loud = number;
    return this.#loud !== null || this.#readAt === null || this.#clock.now() - this.#readAt >= REST_MS;
  }

  /** All logs up to this block were read. */
  read(upTo: bigint): void {
    this.#readAt = this.#clock.now();
    if (this.#loud !== null && upTo >= this.#loud) this.#loud = null;
  }
}
