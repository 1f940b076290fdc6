/** How long is waited for a key service. A signature may be asked for again: a second one does no harm. */
export type Limits = {
  /** For one attempt, in milliseconds. */
  attemptMs: number;
  /** The first one and those after it, when the service is throttled, fails or does not answer. */
  attempts: number;
};

/** Three attempts of 2 s: a signature that takes longer is too late for the round it is for. */
export const limits: Limits = { attemptMs: 2_000, attempts: 3 };

/**
 * Lets so many run at once; the others wait, in their order. @param most - At least 1.
 */
export function atMost(most: number): <T>(run: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (run) => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
