import type { Logger } from './logger.ts';

/** Waits for `work`, but not longer than `ms`. @throws Error when it takes longer. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${Math.round(ms)} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

type Step = { name: string; run: () => Promise<unknown>; limitMs: number };

/**
 * What a start has to take back, last thing first. A step that fails or hangs is told and passed over: the rest must still
 * be closed within the grace period.
 */
export class Undo {
  readonly #log: Logger;
  readonly #graceMs: number;
  readonly #steps: Step[] = [];

  constructor(log: Logger, graceSeconds: number) {
    this.#log = log;
    this.#graceMs = graceSeconds * 1000;
  }

  /** @param limitMs - The most this step may take; without it, two thirds of the grace period. */
  add(name: string, run: () => Promise<unknown>, limitMs = (this.#graceMs * 2) / 3): void {
    this.#steps.push({ name, run, limitMs });
  }

  async run(): Promise<void> {
    for (const { name, run, limitMs } of this.#steps.reverse()) {
      try {
        await within(limitMs, run());
      } catch (error) {
        this.#log.error('shutdown step failed', { step: name, error });
      }
    }
  }
}
