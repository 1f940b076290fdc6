/** The clock that a batch waits on; `setTimeout` and `clearTimeout` outside of tests. */
export type Timers<T> = { set: (run: () => void, ms: number) => T; clear: (timer: T) => void };

/** An editor writes a file in several steps and a checkout writes many files: one moment of quiet ends the batch. */
export const quietMs = 60;

/** Collects what changes within a moment and hands it over once, each file named once. */
export class ChangeBatch<T> {
  readonly #timers: Timers<T>;
  readonly #onBatch: (files: string[]) => void;
  readonly #files = new Set<string>();
  #timer: T | undefined;

  constructor(timers: Timers<T>, onBatch: (files: string[]) => void) {
    this.#timers = timers;
    this.#onBatch = onBatch;
  }

  add(file: string): void {
    this.#files.add(file);
    this.#clear();
    this.#timer = this.#timers.set(() => {
      this.#timer = undefined;
      const files = [...this.#files];
      this.#files.clear();
      this.#onBatch(files);
    }, quietMs);
  }

  /** Forgets what has not been handed over. */
  close(): void {
    this.#clear();
    this.#files.clear();
  }

  #clear(): void {
    if (this.#timer !== undefined) this.#timers.clear(this.#timer);
    this.#timer = undefined;
  }
}
