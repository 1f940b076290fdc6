/** A clock that only its test moves. */
export type ManualClock = {
  /** Milliseconds since the epoch. */
  now(): number;
  date(): Date;
  /** @param ms - May be negative: clocks are set back, too. */
  advance(ms: number): void;
};

/** A clock that only the test moves. Starts at 2026-01-01T00:00:00Z by default. */
export function manualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  let at = startMs;
  return {
    now: () => at,
    date: () => new Date(at),
    advance: (ms) => {
      at += ms;
    },
  };
}
