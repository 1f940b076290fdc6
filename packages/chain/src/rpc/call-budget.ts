/** Half a second, then twice as long for each refusal in a row: what a provider is given that does not say how long. */
const FIRST_PAUSE_MS = 500;
const LAST_UNASKED_PAUSE_MS = 30_000;
/** A provider that asks for more is tried again all the same: a wrong header must not silence an endpoint for a day. */
const LONGEST_PAUSE_MS = 300_000;
/** One call in five seconds: below that an endpoint is as good as away. */
const LOWEST_RATE = 0.2;
/** Beyond this no provider of ours limits, and the limit is forgotten. */
const HIGHEST_RATE = 1_000;
/** From half of a limit back to it takes 35 s, so that a busy endpoint is refused about twice a minute. */
const GROWTH_PER_SECOND = 1.02;
const WINDOW_MS = 1_000;

/** What a refusal said. */
export type RateRefusal = { retryAfterMs: number | null; allowedPerSecond: number | null };

/**
 * How many calls an endpoint takes: a token bucket whose rate is learned. There is no limit until the endpoint refuses; then
 * the rate is half of what it was just asked for (or what it allows, when it says so), and grows while nothing is refused.
 */
export class CallBudget {
  readonly #now: () => number;
  /** Calls a second; null without a limit. */
  #rate: number | null = null;
  #tokens = 0;
  /** Until when tokens are counted; lies ahead while the endpoint asked for a pause. */
  #countedAt = 0;
  #cutAt = Number.NEGATIVE_INFINITY;
  #grownAt = 0;
  #refusedInARow = 0;
  #cuts = 0;
  #granted: { at: number; calls: number }[] = [];

  /** @param now - Milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The most calls that may go together: a second's worth. */
  get burst(): number {
    return this.#rate === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(this.#rate));
  }

  /** How often the rate was cut: what was taken before a cut counts no more. */
  get cuts(): number {
    return this.#cuts;
  }

  /** Milliseconds until a call could go. */
  waitMs(): number {
    return this.#waitFor(this.#tokensNow() - 1);
  }

  /** Takes some calls. @returns milliseconds to wait before they go. */
  take(calls: number): number {
    this.#tokens = this.#tokensNow() - calls;
    this.#countedAt = Math.max(this.#countedAt, this.#now());
    const wait = this.#waitFor(this.#tokens);
    const at = this.#now() + wait;
    this.#granted = [...this.#granted.filter((item) => item.at > this.#now() - WINDOW_MS), { at, calls }];
    return wait;
  }

  /** For calls that were taken and not sent. */
  giveBack(calls: number): void {
    this.#tokens += calls;
    this.#granted.pop();
  }

  answered(): void {
    this.#refusedInARow = 0;
    if (this.#rate === null) return;
    const seconds = (this.#now() - this.#grownAt) / 1_000;
    if (seconds < 1) return;
    const grown = this.#rate * GROWTH_PER_SECOND ** seconds;
    this.#tokens = this.#tokensNow();
    this.#countedAt = Math.max(this.#countedAt, this.#now());
    this.#grownAt = this.#now();
    this.#rate = grown > HIGHEST_RATE ? null : grown;
  }

  /** @param sentAt - When the refused calls went: those that went before the last cut, or with it, do not cut again. */
  refused({ retryAfterMs, allowedPerSecond }: RateRefusal, sentAt: number): void {
    const now = this.#now();
    if (sentAt > this.#cutAt) {
      const used = this.#granted.filter(({ at }) => at > now - WINDOW_MS && at <= now);
      const asked = used.reduce((sum, { calls }) => sum + calls, 0);
      const rate = Math.min(this.#rate ?? Number.POSITIVE_INFINITY, Math.max(1, asked));
      this.#rate = Math.max(LOWEST_RATE, allowedPerSecond ?? rate / 2);
      this.#cutAt = now;
      // One call may go when the pause is over; the others at the rate.
      this.#tokens = 1;
      this.#granted = [];
      this.#refusedInARow += 1;
      this.#cuts += 1;
    }
    const unasked = Math.min(LAST_UNASKED_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#refusedInARow - 1));
    const pause = Math.min(LONGEST_PAUSE_MS, retryAfterMs ?? unasked);
    this.#countedAt = Math.max(this.#countedAt, now + pause);
    this.#grownAt = this.#countedAt;
  }

  #tokensNow(): number {
    if (this.#rate === null) return Number.POSITIVE_INFINITY;
    const elapsed = Math.max(0, this.#now() - this.#countedAt);
    return Math.min(Math.max(1, this.#rate), this.#tokens + (elapsed * this.#rate) / 1_000);
  }

  #waitFor(tokens: number): number {
    const paused = Math.max(0, this.#countedAt - this.#now());
    return this.#rate === null || tokens >= 0 ? paused : paused + (-tokens / this.#rate) * 1_000;
  }
}
