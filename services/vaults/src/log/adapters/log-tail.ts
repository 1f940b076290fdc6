import type { StoredEntry } from '../domain/entry-trace.ts';

/** Entries of one chain that are kept; a reader that is further behind asks the store. */
const MOST_ENTRIES = 1_000;
/** Read at once; where more are missing the tail begins again at the end. */
const MOST_READ = 500;

type Tail = { from: number; entries: StoredEntry[] };

/**
 * The newest entries of each chain's log, read once for all who follow it. The log is only ever appended to and entries never
 * change, so this holds in every process.
 */
export class LogTail {
  readonly #read: (chainId: number, afterSeq: number, limit: number) => Promise<StoredEntry[]>;
  readonly #tails = new Map<number, Tail>();
  readonly #running = new Map<number, Promise<void>>();

  /** @param read - Entries above a seq, in their order. */
  constructor(read: (chainId: number, afterSeq: number, limit: number) => Promise<StoredEntry[]>) {
    this.#read = read;
  }

  /**
   * @param headSeq - The last entry there is.
   * @returns the entries above `afterSeq` up to `headSeq`; undefined when they begin before what is kept.
   */
  async after(chainId: number, afterSeq: number, headSeq: number): Promise<StoredEntry[] | undefined> {
    if (afterSeq >= headSeq) return [];
    // A log that is so much shorter than it was is another one.
    if (headSeq < (this.#tails.get(chainId)?.from ?? 0)) this.#tails.delete(chainId);
    // Another may have read to an earlier end.
    for (let tries = 0; tries < 2 && this.#endOf(chainId) < headSeq; tries += 1) await this.#extend(chainId, headSeq);
    const tail = this.#tails.get(chainId);
    if (!tail || afterSeq < tail.from || this.#endOf(chainId) < headSeq) return undefined;
    // Without a gap, so that a place follows from a seq.
    return tail.entries.slice(afterSeq - tail.from, headSeq - tail.from);
  }

  /** Takes entries that were just written, so that nobody has to read them back; all of them, however many they are. */
  add(chainId: number, entries: readonly StoredEntry[]): void {
    const [first] = entries;
    if (!first) return;
    const known = this.#endOf(chainId) === first.seq - 1 ? this.#tails.get(chainId) : undefined;
    this.#keep(
      chainId,
      { from: known?.from ?? first.seq - 1, entries: [...(known?.entries ?? []), ...entries] },
      entries.length,
    );
  }

  #endOf(chainId: number): number {
    const tail = this.#tails.get(chainId);
    return tail ? (tail.entries.at(-1)?.seq ?? tail.from) : Number.NEGATIVE_INFINITY;
  }

  #extend(chainId: number, headSeq: number): Promise<void> {
    const running =
      this.#running.get(chainId) ?? this.#readOn(chainId, headSeq).finally(() => this.#running.delete(chainId));
    this.#running.set(chainId, running);
    return running;
  }

  async #readOn(chainId: number, headSeq: number): Promise<void> {
    const end = this.#endOf(chainId);
    // Too far behind to catch up, or the first time.
    const from = headSeq - end > MOST_READ ? headSeq - 1 : end;
    const known = from === end ? this.#tails.get(chainId) : undefined;
    const fresh = await this.#read(chainId, from, MOST_READ);
    this.#keep(chainId, { from: known?.from ?? from, entries: [...(known?.entries ?? []), ...fresh] }, MOST_ENTRIES);
  }

  /** Keeps the newest entries: `MOST_ENTRIES`, or `most` if that is more. */
  #keep(chainId: number, { from, entries }: Tail, most: number): void {
    const dropped = Math.max(0, entries.length - Math.max(MOST_ENTRIES, most));
    this.#tails.set(chainId, { from: from + dropped, entries: dropped === 0 ? entries : entries.slice(dropped) });
  }
}
