import { AppError } from '@castellan/contracts';

type Lane = { running: number; readonly waiting: (() => void)[] };

/** Lets a few pieces of work run at once for each key. More wait for their turn; beyond so many they are refused. */
export class Turns {
  readonly #lanes = new Map<string, Lane>();
  readonly #limits: { atOnce: number; waiting: number };

  constructor(limits: { atOnce: number; waiting: number }) {
    this.#limits = limits;
  }

  /** @throws AppError RATE_LIMITED when as many wait as may. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: [] };
    this.#lanes.set(key, lane);
    await this.#enter(lane);
    try {
      return await work();
    } finally {
      this.#leave(key, lane);
    }
  }

  async #enter(lane: Lane): Promise<void> {
    if (lane.running < this.#limits.atOnce) {
      lane.running += 1;
      return;
    }
    if (lane.waiting.length >= this.#limits.waiting)
      throw new AppError('RATE_LIMITED', 'Too many signatures of this wallet are being checked. Try again shortly.', {
        data: { retry_after_seconds: 1 },
      });
    await new Promise<void>((resolve) => lane.waiting.push(resolve));
  }

  /** The place goes to the next that waits. */
  #leave(key: string, lane: Lane): void {
    const next = lane.waiting.shift();
    if (next) {
      next();
      return;
    }
    lane.running -= 1;
    if (lane.running === 0) this.#lanes.delete(key);
  }
}
