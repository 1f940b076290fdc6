import { AppError } from '@castellan/contracts';

type Usage = { running: number; readonly waiting: (() => void)[] };

/** Runs at most so much work at once for each key. So much more waits in its order, and beyond that it is refused. */
export class ConcurrencyLimit {
  readonly #keys = new Map<string, Usage>();
  readonly #limits: { atOnce: number; waiting: number };

  constructor(limits: { atOnce: number; waiting: number }) {
    this.#limits = limits;
  }

  /** @throws AppError RATE_LIMITED when as many wait as may. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const usage = this.#keys.get(key) ?? { running: 0, waiting: [] };
    this.#keys.set(key, usage);
    await this.#enter(usage);
    try {
      return await work();
    } finally {
      this.#leave(key, usage);
    }
  }

  async #enter(usage: Usage): Promise<void> {
    if (usage.running < this.#limits.atOnce) {
      usage.running += 1;
      return;
    }
    if (usage.waiting.length >= this.#limits.waiting)
      throw new AppError('RATE_LIMITED', 'Too many signatures of this wallet are being checked. Try again shortly.', {
        data: { retry_after_seconds: 1 },
      });
    await new Promise<void>((resolve) => usage.waiting.push(resolve));
  }

  /** The next that waits runs in its place. */
  #leave(key: string, usage: Usage): void {
    const next = usage.waiting.shift();
    if (next) {
      next();
      return;
    }
    usage.running -= 1;
    if (usage.running === 0) this.#keys.delete(key);
  }
}
