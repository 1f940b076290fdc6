import { LRUCache } from 'lru-cache';
import { etagOf } from './etag.ts';

/** What a reader is sent. */
export type Built = {
  bytes: Buffer;
  etag: string;
  status: number;
  /** The block it is of; undefined where it names none, or was asked for as of one. */
  block?: number | undefined;
  /** When what it is made of was read, in milliseconds; by default when its making began. */
  readAtMs?: number | undefined;
  /** Whether others may have it as well. */
  keep: boolean;
};
export type Snapshot = Built & { readAtMs: number };

export type Snapshots = {
  /** What is kept under the key, or what `build` makes of the subject; identical requests that meet share one `build`. */
  get(key: string, subject: string, build: () => Promise<Built>): Promise<Snapshot>;
  /**
   * What was made of this subject is not shown again.
   * @param block - Where the subject is now: what is made of an earlier block from here on is not kept.
   */
  invalidate(subject: string, block?: number): void;
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

/** JSON, as it is kept. */
export const jsonSnapshot = (body: unknown, status = 200): Built => {
  const bytes = Buffer.from(JSON.stringify(body));
  return { bytes, etag: etagOf(bytes), status, keep: true };
};

/**
 * Answers ready to send, replaced when what they are made of changes and at the latest after `maxAgeMs`, so that a lost event heals. One
 * that an event overtakes while it is made, or that is of an earlier block than the event named, is answered but not kept.
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
    const snapshot = { ...built, readAtMs: built.readAtMs ?? startedAtMs };
    const change = changeOf(subject);
    const isOlder = built.block !== undefined && built.block < change.block;
    if (built.keep && change.revision === revision && !isOlder) kept.set(key, { ...snapshot, revision });
    return snapshot;
  };
  return {
    async get(key, subject, make) {
      const { revision } = changeOf(subject);
      const found = kept.get(key);
      if (found && found.revision === revision && now() - found.readAtMs < maxAgeMs) {
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
      changes.set(subject, { revision: events, block: block ?? changeOf(subject).block });
    },
  };
}
