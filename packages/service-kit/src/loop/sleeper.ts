/** A pause that can be cut short. */
export class Sleeper {
  readonly #sleepers = new Set<() => void>();
  #isStopping = false;
  #wakeUps = 0;

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Wake-ups so far: a caller that did not sleep learns from it that it missed one. */
  get wakeUps(): number {
    return this.#wakeUps;
  }

  /** Resolves after `ms`, when woken, or at once when stopped. */
  sleep(ms: number): Promise<void> {
    if (this.#isStopping) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#sleepers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#sleepers.add(done);
    });
  }

  wake(): void {
    this.#wakeUps += 1;
    for (const wakeUp of this.#sleepers) wakeUp();
  }

  stop(): void {
    this.#isStopping = true;
    this.wake();
  }
}
