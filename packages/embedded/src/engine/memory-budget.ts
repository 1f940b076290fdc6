import { refuse } from './errors.ts';

/** A share of the budget; `shrink` gives back a part of it, `release` what is left. */
export type Hold = { shrink(bytes: number): void; release(): void };

/** Bytes a row costs beside its document: an array, its buffer and a map's entry. */
export const ROW_OVERHEAD_BYTES = 256;

/** One limit for everything that results keep in memory: open cursors, and rows that are being sorted. */
export class MemoryBudget {
  private readonly limit: number;
  private used = 0;

  /** @param limit - Bytes of all results together. */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** Bytes that are not held by anyone. */
  get freeBytes(): number {
    return this.limit - this.used;
  }

  /** Takes a share. @throws {StoreError} ExceededMemoryLimit. */
  hold(bytes: number): Hold {
    if (bytes > this.freeBytes) this.refuse(bytes);
    let left = bytes;
    this.used += bytes;
    const shrink = (freed: number): void => {
      const part = Math.min(freed, left);
      left -= part;
      this.used -= part;
    };
    return { shrink, release: () => shrink(left) };
  }

  /** @throws {StoreError} ExceededMemoryLimit always. */
  refuse(bytes: number): never {
    return refuse(
      146,
      `A result of ${bytes} bytes or more does not fit: open cursors hold ${this.used} of the ${this.limit} bytes this store keeps for results. Read cursors to their end or close them, narrow the query, or ask for less at once.`,
    );
  }
}
