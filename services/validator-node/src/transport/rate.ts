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

/** A bucket per peer that fills with time; what does not fit is refused, never kept. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new Map<number, { tokens: number; at: number }>();

  /** @param now - Milliseconds. */
  constructor(rate: Rate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  take(peer: number): boolean {
    const at = this.#now();
    const { perSecond, burst } = this.#rate;
    const bucket = this.#buckets.get(peer) ?? { tokens: burst, at };
    const tokens = Math.min(burst, bucket.tokens + (Math.max(0, at - bucket.at) / 1000) * perSecond);
    const isAllowed = tokens >= 1;
    this.#buckets.set(peer, { tokens: isAllowed ? tokens - 1 : tokens, at });
    return isAllowed;
  }
}
