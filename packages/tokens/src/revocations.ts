/** Sessions that were ended before their token expires. Filled from the stream; forgets a session once its token is void. */
export type Revocations = {
  add(sid: string, expiresAtMs: number): void;
  has(sid: string): boolean;
  /** Calls back for each session that ends from now on. */
  onRevoked(listener: (sid: string) => void): () => void;
  /** Forgets what no token can bring any more. @returns how many are left. */
  prune(): number;
};

const leewayMs = 60_000;

/**
 * Ended sessions, in memory; each is forgotten once its tokens have expired anyway. @param now - Milliseconds since
 * the epoch.
 */
export function createRevocations(now: () => number): Revocations {
  const ended = new Map<string, number>();
  const listeners = new Set<(sid: string) => void>();
  return {
    add(sid, expiresAtMs) {
      if (ended.has(sid) || expiresAtMs + leewayMs <= now()) return;
      ended.set(sid, expiresAtMs);
      for (const listener of listeners) listener(sid);
    },
    has: (sid) => ended.has(sid),
    onRevoked(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    prune() {
      for (const [sid, expiresAtMs] of ended) if (expiresAtMs + leewayMs <= now()) ended.delete(sid);
      return ended.size;
    },
  };
}
