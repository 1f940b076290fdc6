import { LRUCache } from 'lru-cache';

/** A body ready to send. */
export type Snapshot = { bytes: string; etag: string };

export type Snapshots = {
  /** The stored body, or what `load` answers; identical requests that meet share one `load`. */
  get(key: string, vault: string, load: () => Promise<Snapshot>): Promise<Snapshot>;
  /** Something about this vault changed: what was read before is not shown again. */
  invalidate(vault: string): void;
};

export type SnapshotOptions = {
  maxAgeMs: number;
  entries: number;
  now: () => number;
  count: (outcome: 'hit' | 'shared' | 'miss') => void;
};

type Entry = Snapshot & { loadedAtMs: number; generation: number };

/**
 * Bodies per caller and vault, replaced by an event about the vault and at the latest after `maxAgeMs`, so that a lost event
 * heals. A load that an event overtakes is answered but not kept.
 */
export function createSnapshots({ maxAgeMs, entries, now, count }: SnapshotOptions): Snapshots {
  const stored = new LRUCache<string, Entry>({ max: entries });
  const loading = new Map<string, Promise<Snapshot>>();
  // One number for all vaults whose own is forgotten: forgetting may invalidate too much, never too little.
  let events = 0;
  let floor = 0;
  const generations = new LRUCache<string, number>({
    max: entries,
    dispose: (value, _vault, reason) => {
      if (reason === 'evict') floor = Math.max(floor, value);
    },
  });
  const generationOf = (vault: string) => generations.get(vault) ?? floor;
  return {
    async get(key, vault, load) {
      const generation = generationOf(vault);
      const found = stored.get(key);
      if (found && found.generation === generation && now() - found.loadedAtMs < maxAgeMs) {
        count('hit');
        return found;
      }
      const flight = `${generation} ${key}`;
      const shared = loading.get(flight);
      if (shared) {
        count('shared');
        return shared;
      }
      count('miss');
      const loadedAtMs = now();
      const loaded = load()
        .then((snapshot) => {
          if (generationOf(vault) === generation) stored.set(key, { ...snapshot, loadedAtMs, generation });
          return snapshot;
        })
        .finally(() => loading.delete(flight));
      loading.set(flight, loaded);
      return loaded;
    },
    invalidate(vault) {
      events += 1;
      generations.set(vault, events);
    },
  };
}
