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

type Close = () => Promise<unknown> | unknown;
type Step = { name: string; close: Close; limitMs: number };

/**
 * What a process closes when it stops, in the opposite order of its start. A step that fails or exceeds its limit is logged as
 * an error, and the steps after it still run within the grace period.
 */
export class Shutdown {
  readonly #log: Logger;
  readonly #graceMs: number;
  readonly #steps: Step[] = [];
  #isRunning = false;

  /** @param graceMs - The time that the whole shutdown has. */
  constructor(log: Logger, graceMs: number) {
    this.#log = log;
    this.#graceMs = graceMs;
  }

  /**
   * Adds the step that closes what was just opened. A start that goes on after `run` was called closes it at once.
   * @param limitMs - The most this step may take; without it, two thirds of the grace period.
   */
  add(name: string, close: Close, limitMs = (this.#graceMs * 2) / 3): void {
    const step = { name, close, limitMs };
    if (this.#isRunning) void this.#run(step);
    else this.#steps.push(step);
  }

  /** Runs the steps one after another, the last added first. Never rejects; a second call has nothing left to run. */
  async run(): Promise<void> {
    this.#isRunning = true;
    for (const step of this.#steps.splice(0).reverse()) await this.#run(step);
  }

  async #run({ name, close, limitMs }: Step): Promise<void> {
    try {
      await within(limitMs, Promise.resolve(close()));
    } catch (error) {
      this.#log.error('shutdown step failed', { step: name, error });
    }
  }
}
