import { Sleeper } from './sleeper.ts';

/**
 * What follows a step: another at once, one after the loop's pause or the next wake-up, one after another pause or the next wake-up
 * (`restMs`), or one after a pause which a wake-up during the step does not shorten (`afterMs`).
 */
export type Next = 'more' | 'rest' | { readonly restMs: number } | { readonly afterMs: number };

/** How long a loop rests after a step; 0 for not at all. */
export const restOf = (next: Next, pauseMs: number): number => {
  if (next === 'more') return 0;
  if (next === 'rest') return pauseMs;
  return 'restMs' in next ? next.restMs : next.afterMs;
};

/** Whether a wake-up during the step is followed by another step at once. */
export const isWakeable = (next: Next): boolean => next === 'rest' || (typeof next === 'object' && 'restMs' in next);

/** Pauses after failures: the first, doubled with each failure in a row, never above the last. Milliseconds. */
export type Retry = { readonly firstMs: number; readonly lastMs: number };

/** The step of a loop, and the pauses between steps and after failures, in milliseconds. */
export type PacedLoopOptions = {
  step: () => Promise<Next>;
  pauseMs: number;
  /** By default each failure is followed by the loop's pause. */
  retry?: Retry | undefined;
  /** @param retryMs - How long the loop waits before it tries again. */
  onFailure: (error: Error, retryMs: number) => void;
};

/** Repeats a step until it is stopped, whatever the step throws. */
export class PacedLoop {
  readonly #options: PacedLoopOptions;
  readonly #sleeper = new Sleeper();
  #running: Promise<void> | undefined;

  constructor(options: PacedLoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the pause; during a step, the pause after it. */
  wake(): void {
    this.#sleeper.wake();
  }

  /** Resolves once no step runs any more. */
  async stop(): Promise<void> {
    this.#sleeper.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { step, pauseMs, onFailure } = this.#options;
    const { firstMs, lastMs } = this.#options.retry ?? { firstMs: pauseMs, lastMs: pauseMs };
    let retryMs = firstMs;
    while (!this.#sleeper.isStopping) {
      try {
        // A wake-up during the step may have come after the step read: the next one sees it.
        const before = this.#sleeper.wakeUps;
        const next = await step();
        retryMs = firstMs;
        if (next === 'more' || (isWakeable(next) && this.#sleeper.wakeUps !== before)) continue;
        await this.#sleeper.sleep(restOf(next, pauseMs));
      } catch (error) {
        onFailure(error as Error, retryMs);
        await this.#sleeper.sleep(retryMs);
        retryMs = Math.min(retryMs * 2, lastMs);
      }
    }
  }
}
