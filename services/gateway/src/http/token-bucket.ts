import { LRUCache } from 'lru-cache';

type Bucket = { tokens: number; atMs: number };
type Answer = { current: number; ttl: number };
type Settings = { max?: unknown; timeWindow?: unknown; now?: () => number };

/** More callers than this are forgotten, the longest silent first; a forgotten bucket is a full one. */
const maxBuckets = 20_000;

/**
 * A store for `@fastify/rate-limit` that keeps token buckets instead of its fixed windows: `max` is the burst a full bucket
 * allows, `timeWindow` the milliseconds in which an empty one fills again, so the steady rate is `max / timeWindow`.
 */
export class TokenBucketStore {
  readonly #buckets = new LRUCache<string, Bucket>({ max: maxBuckets });
  readonly #now: () => number;

  constructor({ now = Date.now }: Settings = {}) {
    this.#now = now;
  }

  /** Takes one token. The plugin refuses when `current` is above `max`; `ttl` is when that changes, in milliseconds. */
  incr(key: string, done: (error: Error | null, answer?: Answer) => void, timeWindow: number, max: number): void {
    const nowMs = this.#now();
    const msPerToken = timeWindow / max;
    const bucket = this.#buckets.get(key) ?? { tokens: max, atMs: nowMs };
    const tokens = Math.min(max, bucket.tokens + Math.max(0, nowMs - bucket.atMs) / msPerToken);
    const isAllowed = tokens >= 1;
    const left = isAllowed ? tokens - 1 : tokens;
    this.#buckets.set(key, { tokens: left, atMs: nowMs });
    const ttl = isAllowed ? (max - left) * msPerToken : (1 - left) * msPerToken;
    done(null, { current: isAllowed ? max - Math.floor(left) : max + 1, ttl: Math.max(1, ttl) });
  }

  /** Each class of routes has buckets of its own. */
  child(): TokenBucketStore {
    return new TokenBucketStore({ now: this.#now });
  }
}
