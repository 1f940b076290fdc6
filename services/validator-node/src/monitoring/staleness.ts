import { type Address, getAddress } from 'viem';

export type StrategyRef = { chainId: number; strategy: Address };
export type Transition = StrategyRef & { kind: 'stale' | 'recovered'; lastUpdateSeconds: number | null };

type Entry = StrategyRef & { blockSeconds: number | null; updatedMs: number; stale: boolean };

const keyOf = (chainId: number, strategy: Address) => `${chainId}:${strategy.toLowerCase()}`;

/**
 * Which strategies have had no update for longer than the check interval. The age of an update when it was heard is given by
 * the chain's clock, how long ago that is by the local one: the two need not agree. Counted from the start of the process at
 * the earliest: a node that just started has had no chance to hear.
 */
export class Staleness {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;
  readonly #startedMs: number;
  readonly #intervalMs: number;

  /** @param now - Local milliseconds since the epoch. */
  constructor(options: { now: () => number; intervalMs: number }) {
    this.#now = options.now;
    this.#startedMs = options.now();
    this.#intervalMs = options.intervalMs;
  }

  /** The strategies to watch on one chain, in place of those watched before. */
  watch(chainId: number, strategies: readonly Address[]): void {
    const wanted = new Set(strategies.map((strategy) => keyOf(chainId, strategy)));
    for (const [key, entry] of this.#entries)
      if (entry.chainId === chainId && !wanted.has(key)) this.#entries.delete(key);
    for (const strategy of strategies) {
      const key = keyOf(chainId, strategy);
      if (this.#entries.has(key)) continue;
      const since = Math.max(this.#startedMs, this.#now());
      this.#entries.set(key, {
        chainId,
        strategy: getAddress(strategy),
        blockSeconds: null,
        updatedMs: since,
        stale: false,
      });
    }
  }

  /**
   * @param blockSeconds - Block time of the newest canonical update; null when a reorg left none.
   * @param headSeconds - Time of the chain's head at that time.
   */
  heard(chainId: number, strategy: Address, blockSeconds: number | null, headSeconds: number): void {
    const entry = this.#entries.get(keyOf(chainId, strategy));
    // What was heard before is no news: repeated, it would stay young for ever.
    if (!entry || (blockSeconds !== null && blockSeconds === entry.blockSeconds)) return;
    entry.blockSeconds = blockSeconds;
    const ageMs = Math.max(0, headSeconds - (blockSeconds ?? 0)) * 1000;
    entry.updatedMs = Math.max(this.#startedMs, this.#now() - ageMs);
  }

  list(): (StrategyRef & { blockSeconds: number | null; isStale: boolean })[] {
    return [...this.#entries.values()].map((entry) => ({
      chainId: entry.chainId,
      strategy: entry.strategy,
      blockSeconds: entry.blockSeconds,
      isStale: this.#isStale(entry),
    }));
  }

  /** What changed since the last call; each change is returned once. */
  transitions(): Transition[] {
    const changed: Transition[] = [];
    for (const entry of this.#entries.values()) {
      const isStale = this.#isStale(entry);
      if (isStale === entry.stale) continue;
      entry.stale = isStale;
      const { chainId, strategy, blockSeconds } = entry;
      changed.push({ chainId, strategy, kind: isStale ? 'stale' : 'recovered', lastUpdateSeconds: blockSeconds });
    }
    return changed;
  }

  #isStale({ updatedMs }: Entry): boolean {
    return this.#now() - updatedMs > this.#intervalMs;
  }
}
