import { randomUUID } from 'node:crypto';
import { acquireLease, releaseLease } from '@castellan/service-kit';
import type { Connection } from 'mongoose';

/** Above the longest step; a process that died is followed after this. */
const ttlMs = 15_000;

/** One writer a chain and purpose, whichever of the processes came first and still comes back. */
export class ChainLease {
  readonly #holder = randomUUID();
  readonly #held = new Set<number>();
  readonly #purpose: string;
  readonly #mongo: Connection;

  constructor(purpose: string, mongo: Connection) {
    this.#purpose = purpose;
    this.#mongo = mongo;
  }

  #nameOf(chainId: number): string {
    return `${this.#purpose}:${chainId}`;
  }

  /** Takes it or keeps it. @returns false while another process holds it. */
  async hold(chainId: number): Promise<boolean> {
    const name = this.#nameOf(chainId);
    const lease = await acquireLease(this.#mongo, { name, holder: this.#holder, ttlMs });
    if (lease === undefined) return false;
    this.#held.add(chainId);
    return true;
  }

  /** So that another process need not wait for it to run out. */
  async release(): Promise<void> {
    for (const chainId of this.#held)
      await releaseLease(this.#mongo, { name: this.#nameOf(chainId), holder: this.#holder });
    this.#held.clear();
  }
}
