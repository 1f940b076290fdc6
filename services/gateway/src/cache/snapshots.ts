import { etagOf } from '@castellan/service-kit';
import { LRUCache } from 'lru-cache';

/** What a reader is sent. */
export type Built = {
  bytes: Buffer;
  etag: string;
  status: number;
  /** The subjects it shows as new as can be, each with the block it is read at; none where it names no block. */
  blocks?: readonly SubjectBlock[];
  /** When what it is made of was read, in milliseconds; by default when its making began. */
  readAtMs?: number | undefined;
  /** The moment that it says it is about. */
  asOf?: string | undefined;
  /** It is kept for so many milliseconds, where that is less than all are. */
  maxAgeMs?: number | undefined;
  /** Whether others may have it as well; of a snapshot, whether it was kept for them. */
  keep: boolean;
};
export type SubjectBlock = readonly [subject: string, block: number];
export type Snapshot = Built & { readAtMs: number };

export type Snapshots = {
  /** What is kept under the key, or what `build` makes of the subject; identical requests that meet share one `build`. */
  get(key: string, subject: string, build: () => Promise<Built>): Promise<Snapshot>;
  /**
   * What was made of this subject is not shown again.
   * @param block - Where the subject is now: what shows it at an earlier block from here on is not kept. Of several the highest counts,
   * because events overtake each other.
   */
  invalidate(subject: string, block?: number): void;
  /** Events were lost: nothing that was made before is shown again. */
  invalidateAll(): void;
};

export type SnapshotOptions = {
  maxAgeMs: number;
  maxBytes: number;
  now: () => number;
  count: (outcome: 'hit' | 'shared' | 'miss') => void;
  /** Subjects whose last change is known one by one. */
  maxSubjects?: number;
};

type Change = { revision: number; block: number };
type Entry = Snapshot & { revision: number };

/** What an entry takes besides its bytes: key, tag and the object, rounded up. */
const OVERHEAD_BYTES = 500;

/** Bytes that hold no others in memory: short ones are a part of Node's pool of 8 kB, and compressed ones of a chunk of 16 kB. */
export function ownBytes(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** JSON, as it is kept. */
export const jsonSnapshot = (body: unknown, status = 200): Built => {
  const bytes = Buffer.from(JSON.stringify(body));
  return { bytes, etag: etagOf(bytes), status, keep: true };
};

/**
 * Answers ready to send, replaced when what they are made of changes and at the latest after `maxAgeMs`, so that a lost event heals. One
 * that an event overtakes while it is made, or that shows something at an earlier block than an event named, is answered but not kept.
 */
export function createSnapshots(options: SnapshotOptions): Snapshots {
  const { maxAgeMs, maxBytes, now, count, maxSubjects = 10_000 } = options;
  const kept = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }, key) => bytes.length + key.length + OVERHEAD_BYTES,
  });
  const flights = new Map<string, Promise<Snapshot>>();
  // One number for all subjects whose own is forgotten: forgetting may invalidate too much, never too little.
  let events = 0;
  let floor: Change = { revision: 0, block: 0 };
  const changes = new LRUCache<string, Change>({
    max: maxSubjects,
    dispose: ({ revision }, _subject, reason) => {
      if (reason === 'evict') floor = { revision: Math.max(floor.revision, revision), block: 0 };
    },
  });
  const changeOf = (subject: string) => changes.get(subject) ?? floor;
  const build = async (key: string, subject: string, make: () => Promise<Built>): Promise<Snapshot> => {
    const { revision } = changeOf(subject);
    const startedAtMs = now();
    const built = await make();
    const isOlder = built.blocks?.some(([shown, block]) => block < changeOf(shown).block) ?? false;
    const keep = built.keep && changeOf(subject).revision === revision && !isOlder;
    const snapshot = { ...built, keep, readAtMs: built.readAtMs ?? startedAtMs };
    if (keep) kept.set(key, { ...snapshot, bytes: ownBytes(built.bytes), revision });
    return snapshot;
  };
  return {
    async get(key, subject, make) {
      const { revision } = changeOf(subject);
      const found = kept.get(key);
      if (
        found &&
        found.revision === revision &&
        now() - found.readAtMs < Math.min(maxAgeMs, found.maxAgeMs ?? maxAgeMs)
      ) {
        count('hit');
        return found;
      }
      const flight = `${revision} ${key}`;
      const shared = flights.get(flight);
      count(shared ? 'shared' : 'miss');
      if (shared) return shared;
      const built = build(key, subject, make).finally(() => flights.delete(flight));
      flights.set(flight, built);
      return built;
    },
    invalidate(subject, block) {
      events += 1;
      changes.set(subject, { revision: events, block: Math.max(block ?? 0, changeOf(subject).block) });
    },
    invalidateAll() {
      events += 1;
      floor = { revision: events, block: 0 };
      for (const change of changes.values()) change.revision = events;
    },
  };
}
