/** Time as a client reads it and waits for it. A test gives its own. */
export type Clock = {
  /** Milliseconds since 1970. */
  now: () => number;
  /** Resolves after `ms`, and at once when the signal aborts. */
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
};

const longestPauseMs = 30_000;

/** How long to wait after so many failures in a row: twice as long each time, up to 30 s, and never in step with others. */
export const pauseMs = (failures: number, firstMs: number): number =>
  Math.min(longestPauseMs, firstMs * 2 ** (failures - 1)) * (0.8 + Math.random() * 0.4);

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      if (signal?.aborted) done();
      signal?.addEventListener('abort', done);
    }),
};
