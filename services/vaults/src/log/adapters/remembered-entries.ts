import type { LogEntry } from '@castellan/contracts';
import type { Rollback } from '../domain/log-entry.ts';

type Part = { entries: readonly LogEntry[]; rollbacks: readonly Rollback[] };
type Kept = Part & { seq: number };

const nothing: Kept = { seq: 0, entries: [], rollbacks: [] };

/** More than this of one vault is read again each time instead. */
const MOST_ENTRIES = 20_000;
const MOST_KEYS = 1_000;

/** Entries of a log that is only ever appended to, without a gap: what was read once is kept, and what came since is added. */
export class RememberedEntries {
  readonly #kept = new Map<string, Kept>();

  /**
   * @param headSeq - The last entry there is.
   * @param after - Entries and rollbacks above a seq, up to the last entry or further, in their order.
   */
  async read(
    key: string,
    headSeq: () => Promise<number>,
    after: (seq: number, headSeq: number) => Promise<Part>,
  ): Promise<Part> {
    // Asked first: what is appended meanwhile is left to the next call.
    const seq = await headSeq();
    const known = this.#kept.get(key) ?? nothing;
    if (known.seq === seq) return known;
    // A log that is shorter than it was is another one.
    const before = known.seq < seq ? known : nothing;
    const fresh = await after(before.seq, seq);
    const upTo = <T extends { seq: number }>(items: readonly T[]) => items.filter((item) => item.seq <= seq);
    const now = {
      seq,
      entries: [...before.entries, ...upTo(fresh.entries)],
      rollbacks: [...before.rollbacks, ...upTo(fresh.rollbacks)],
    };
    this.#keep(key, now);
    return now;
  }

  #keep(key: string, now: Kept): void {
    this.#kept.delete(key);
    if (now.entries.length > MOST_ENTRIES) return;
    this.#kept.set(key, now);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEYS && oldest !== undefined) this.#kept.delete(oldest);
  }
}
