import type { ChainStatus, LogHead } from '../ports.ts';

type Known = { head?: LogHead | undefined; status?: ChainStatus | undefined };

/**
 * The end of a chain's log and its status, as this process wrote them. They count while it holds the chain's lease: until that ends
 * no other process writes either, so the store need not be asked.
 */
export class OwnChains {
  readonly #heldTokens = new Map<number, () => number | undefined>();
  readonly #known = new Map<number, Known>();
  /** Writes and takeovers of each chain: what was read before the last one is not kept. */
  readonly #changes = new Map<number, number>();
  /** Chains of which a status is being written that others may read before this process knows that it was written. */
  readonly #publishing = new Set<number>();

  /** @param heldToken - The token of the chain's lease, while no other process can have it. */
  follow(chainId: number, heldToken: () => number | undefined): void {
    this.#heldTokens.set(chainId, heldToken);
  }

  head(chainId: number): LogHead | undefined {
    return this.#current(chainId)?.head;
  }

  status(chainId: number): ChainStatus | undefined {
    return this.#publishing.has(chainId) ? undefined : this.#current(chainId)?.status;
  }

  /** What the writer knows that took the log over with the token that is held now. */
  #current(chainId: number): Known | undefined {
    const known = this.#known.get(chainId);
    const token = this.#heldTokens.get(chainId)?.();
    return token !== undefined && known?.head?.token === token ? known : undefined;
  }

  /** Runs a write and keeps what it left; of a write that failed nobody knows what it did. */
  async writing<T>(chainId: number, write: () => Promise<T>, kept: (result: T, known: Known) => Known): Promise<T> {
    this.#changed(chainId);
    try {
      const result = await write();
      this.#known.set(chainId, kept(result, this.#known.get(chainId) ?? {}));
      return result;
    } catch (error) {
      this.#known.delete(chainId);
      throw error;
    } finally {
      this.#changed(chainId);
    }
  }

  /** Runs a write of the status that changes who may do what. The status is not known until the write ends, however long that takes. */
  async publishing(chainId: number, publish: () => Promise<void>): Promise<void> {
    this.#publishing.add(chainId);
    try {
      await publish();
    } finally {
      this.#publishing.delete(chainId);
    }
  }

  /** Keeps what was not written, because the next write takes it along. */
  note(chainId: number, kept: (known: Known) => Known): void {
    this.#known.set(chainId, kept(this.#known.get(chainId) ?? {}));
  }

  /** Reads a status and keeps it, unless it was written meanwhile or another process may have written it. */
  async reading(chainId: number, read: () => Promise<ChainStatus>): Promise<ChainStatus> {
    const known = this.#publishing.has(chainId) ? undefined : this.#current(chainId);
    const before = this.#changes.get(chainId);
    const status = await read();
    if (known && this.#current(chainId) === known && this.#changes.get(chainId) === before)
      this.#known.set(chainId, { ...known, status });
    return status;
  }

  #changed(chainId: number): void {
    this.#changes.set(chainId, (this.#changes.get(chainId) ?? 0) + 1);
  }
}
