import type { Timing } from '../ports.ts';

export type Rate = { perSecond: number; burst: number };

/**
 * What one honest peer may need: twice its wishes and the messages of its rounds. A new epoch, a late start and echoes come in
 * bursts.
 */
export function rateFor({ deltaResend, deltaProgress, deltaRound }: Timing): Rate {
  const perSecond = 2000 * (1 / deltaResend + 1 / deltaProgress + 6 / deltaRound);
  return { perSecond: Math.max(1, perSecond), burst: Math.max(64, Math.ceil(perSecond * 4)) };
}

/**
 * Messages on one subject that turn out to be no new message of its owner. Each costs a signature check of 0.15 ms: this is a
 * fourteenth of one processor. Beyond it a subject is deaf, and only that subject.
 */
export const unprovenRate: Rate = { perSecond: 500, burst: 500 };

/** The same over all subjects: a third of one processor, however many subjects are flooded. */
export const totalUnprovenRate: Rate = { perSecond: 2000, burst: 2000 };

/** A bucket per name that fills with time; what does not fit is refused, never kept. */
export class RateLimit<Name> {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new Map<Name, { tokens: number; at: number }>();

  /** @param now - Milliseconds. */
  constructor(rate: Rate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Whether `take` would be allowed now. */
  allows(name: Name): boolean {
    return this.#filled(name).tokens >= 1;
  }

  take(name: Name): boolean {
    const bucket = this.#filled(name);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #filled(name: Name): { tokens: number } {
    const at = this.#now();
    const { perSecond, burst } = this.#rate;
    const bucket = this.#buckets.get(name) ?? { tokens: burst, at };
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, at - bucket.at) / 1000) * perSecond);
    bucket.at = at;
    this.#buckets.set(name, bucket);
    return bucket;
  }
}
