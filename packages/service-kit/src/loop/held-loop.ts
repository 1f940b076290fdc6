import { LeaseLost, type NamedLease } from '../fenced-lease.ts';
import { isInfrastructureFault } from '../infrastructure-fault.ts';
import type { Fields, Logger } from '../logger.ts';
import { type Held, LeaseHold } from './lease-hold.ts';
import { isWakeable, type Next, PacedLoop, type Retry, restOf } from './paced-loop.ts';

/** The passes of a loop under a lease, its pauses, and what is called as the lease comes and goes. */
export type HeldLoopOptions = {
  /** One process at a time runs the passes. */
  lease: NamedLease;
  /** Each write of a pass carries the token, or is conditional by itself: a pass may learn late that the lease is lost. */
  pass: (held: Held) => Promise<Next>;
  /** Between two passes, unless the pass or a wake-up says otherwise; longer than the lease it is renewed meanwhile. Milliseconds. */
  pauseMs: number;
  /** How soon a process without the lease notices that the holder is gone, at most; by default the pause. */
  standbyMs?: number;
  retry?: Retry;
  /** Called with each new token before the first pass under it, until it succeeds: here older writers are shut out. */
  onLease?: (token: number) => Promise<void> | void;
  /** Called when the lease is taken, and when it is lost or given up. */
  onHolding?: (isHeld: boolean) => void;
  /** By default the log says so; see {@link reportFailure}. */
  onFailure?: (error: Error, retryMs: number) => void;
  log: Logger;
  /** Beside the name of the lease in each message of the log. */
  fields?: Fields;
  /** Milliseconds from any beginning. */
  now?: () => number;
};

/** Reports that work failed and is tried again. An outage repeats itself: its stack would only fill the log. */
export function reportFailure(
  log: Logger,
  error: Error,
  messages: { fields: Fields; expected: string; unexpected: string },
): void {
  const { fields, expected, unexpected } = messages;
  if (error instanceof LeaseLost || isInfrastructureFault(error))
    log.warn(expected, { ...fields, reason: error.message });
  else log.error(unexpected, { ...fields, error });
}

class Loop {
  readonly #options: HeldLoopOptions;
  readonly #hold: LeaseHold;
  readonly #loop: PacedLoop;
  readonly #stopping = new AbortController();
  /** The token that `onLease` was called with. */
  #claimed: number | undefined;
  #isHeld = false;
  #hasTaken = false;
  #isHealthy = false;
  readonly #now: () => number;
  /** When the pass after a long rest is due, by the loop's clock. */
  #dueMs = Number.NEGATIVE_INFINITY;
  #isWoken = false;

  constructor(options: HeldLoopOptions) {
    const { lease, pauseMs, retry, log, fields, now = () => performance.now() } = options;
    this.#options = options;
    this.#now = now;
    const about = { ...fields, lease: lease.name };
    this.#hold = new LeaseHold({
      lease,
      stopping: this.#stopping.signal,
      onRenewalFailed: (error) => log.warn('the lease could not be renewed', { ...about, error }),
      now,
    });
    const report = (error: Error) =>
      reportFailure(log, error, {
        fields: about,
        expected: 'a pass is done again',
        unexpected: 'a pass failed and is done again',
      });
    this.#loop = new PacedLoop({
      step: async () => {
        const isDue = this.#isWoken || this.#now() >= this.#dueMs;
        return this.#resting(await this.#turn(this.#hold.freshToken, isDue));
      },
      pauseMs,
      retry,
      onFailure: (error, retryMs) => {
        this.#isHealthy = false;
        (options.onFailure ?? report)(error, retryMs);
      },
    });
  }

  /** Whether the last turn of the loop did not fail, with the lease or without. */
  get isHealthy(): boolean {
    return this.#isHealthy;
  }

  /** The token while no other process can have the lease: what was written under it is all there is. */
  get heldToken(): number | undefined {
    return this.#isHeld ? this.#hold.heldToken : undefined;
  }

  start(): void {
    this.#loop.start();
  }

  /** Begins the next pass without a pause. */
  wake(): void {
    this.#isWoken = true;
    this.#loop.wake();
  }

  /** One pass without the loop. @returns what follows it; without the lease there is no pass, and the loop's pause follows. */
  step(): Promise<Next> {
    return this.#turn(undefined, true);
  }

  /** Waits for the pass that runs, and gives the lease up, so that another process need not wait for its end. */
  async stop(): Promise<void> {
    const { lease, log, fields } = this.#options;
    this.#stopping.abort();
    await this.#loop.stop();
    this.#setHeld(false);
    if (!this.#hasTaken) return;
    await lease
      .release()
      .catch((error: Error) => log.warn('the lease was left to expire', { ...fields, lease: lease.name, error }));
  }

  /** Takes or renews the lease, and runs the pass that is due under it. */
  async #turn(known: number | undefined, isDue: boolean): Promise<Next> {
    const { standbyMs } = this.#options;
    const token = known ?? (await this.#hold.take());
    this.#setHeld(token !== undefined);
    let next: Next = standbyMs === undefined ? 'rest' : { afterMs: standbyMs };
    if (token === undefined) this.#claimed = undefined;
    else if (isDue || this.#claimed !== token) next = await this.#pass(token);
    else next = { restMs: Math.max(0, this.#dueMs - this.#now()) };
    this.#isHealthy = true;
    return next;
  }

  #pass(token: number): Promise<Next> {
    const { onLease, pass } = this.#options;
    this.#isWoken = false;
    this.#dueMs = Number.NEGATIVE_INFINITY;
    return this.#hold.during(async (held) => {
      if (this.#claimed !== token) await onLease?.(token);
      this.#claimed = token;
      return pass(held).catch((error: unknown) => this.#passOn(error));
    });
  }

  /** A rest that is longer than half of the lease is taken in parts: it is renewed between them. */
  #resting(next: Next): Next {
    const { lease, pauseMs } = this.#options;
    const longestMs = lease.ttlMs / 2;
    const restMs = restOf(next, pauseMs);
    if (!isWakeable(next)) this.#isWoken = false;
    if (restMs <= longestMs) return next;
    this.#dueMs = this.#now() + restMs;
    return isWakeable(next) ? { restMs: longestMs } : { afterMs: longestMs };
  }

  /** Another process wrote: the store is asked again for the lease, and older writers are shut out again. */
  #passOn(error: unknown): never {
    if (error instanceof LeaseLost) {
      this.#claimed = undefined;
      this.#hold.forget();
    }
    throw error;
  }

  #setHeld(isHeld: boolean): void {
    if (isHeld) this.#hasTaken = true;
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    this.#options.onHolding?.(isHeld);
  }
}

/** A loop under a lease, as its owner sees it. */
export type HeldLoop = Pick<Loop, 'isHealthy' | 'heldToken' | 'start' | 'wake' | 'step' | 'stop'>;

/**
 * Runs passes while this process holds a lease, and stands by while another does. The lease spares double work; what makes a
 * holder harmless that lost it without noticing is its token.
 */
export const heldLoop = (options: HeldLoopOptions): HeldLoop => new Loop(options);
