/** Polls until `read` answers something, then returns it. @throws Error naming what was awaited. */
export async function until<T>(
  what: string,
  read: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Time that passes between two ticks beyond this was not this process's: the machine ran others meanwhile. */
const MOST_COUNTED_MS = 60;
const TICK_MS = 20;

/**
 * Like `until`, for what is promised within a time. Only time in which this process could run counts, so that a machine that stands
 * still breaks no promise. @throws Error naming what was promised.
 */
export async function untilPromised<T>(
  what: string,
  read: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs: number,
): Promise<T> {
  let [passed, last] = [0, performance.now()];
  const ticks = setInterval(() => {
    const now = performance.now();
    passed += Math.min(now - last, MOST_COUNTED_MS);
    last = now;
  }, TICK_MS);
  try {
    for (;;) {
      const value = await read();
      if (value !== undefined && value !== false) return value;
      if (passed > withinMs) throw new Error(`Not within ${withinMs} ms: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
  } finally {
    clearInterval(ticks);
  }
}
