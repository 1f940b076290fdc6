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
 * Messages a second, on the subjects of all oracles together, that turn out not to be signed by the owner of their subject. Each costs
 * a signature check of 0.15 ms: this is a third of one processor.
 */
const totalUnproven = 2000;

/** No owner's part is larger than this, however few oracles there are. */
const mostUnproven = 500;

/**
 * The part of one owner of that, on both its subjects. Beyond it this owner is not heard. The parts are separate and their sum is the
 * whole, so that those who flood spend nothing of the others' parts, however many they are.
 */
export function unprovenRateFor(oracles: number): Rate {
  const perSecond = Math.min(mostUnproven, Math.floor(totalUnproven / oracles));
  return { perSecond, burst: perSecond };
}

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
