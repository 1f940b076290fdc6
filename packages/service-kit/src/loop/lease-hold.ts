import { LeaseLost, type NamedLease } from '../fenced-lease.ts';

/** The lease as work sees it that runs under it. */
export type Held = {
  /** Grows with each change of holder: every write carries it, or is conditional by itself. */
  readonly token: number;
  /** Aborted with a LeaseLost once the lease is lost or may be, and when the process stops: begin nothing more. */
  readonly signal: AbortSignal;
  /** Until then no other process can take the lease, by the clock of the hold; a renewal moves it. Milliseconds. */
  untilMs(): number;
  /** Renews the lease now. @throws LeaseLost when it is lost, or the reason for which the process stops. */
  confirm(): Promise<void>;
};

/** The lease to hold, its clock, and the signal that ends the hold. */
export type LeaseHoldOptions = {
  lease: Pick<NamedLease, 'name' | 'ttlMs' | 'take'>;
  /** Aborts what runs under the lease, too. */
  stopping?: AbortSignal;
  /** The store could not be asked; the lease is kept until it ends. */
  onRenewalFailed: (error: Error) => void;
  /** Milliseconds from any beginning. */
  now: () => number;
};

/**
 * A lease as one process holds it: taken, renewed while work runs under it, lost. It ends when either clock says so: a monotonic clock may
 * stand still while the machine is suspended, and the time of day may be set back.
 */
export class LeaseHold {
  readonly #options: LeaseHoldOptions;
  #token: number | undefined;
  /** Counted from before the store was asked. */
  #untilMs = Number.NEGATIVE_INFINITY;
  #untilTime = Number.NEGATIVE_INFINITY;

  constructor(options: LeaseHoldOptions) {
    this.#options = options;
  }

  #leftMs(): number {
    const left = Math.min(this.#untilMs - this.#options.now(), this.#untilTime - Date.now());
    return Math.max(0, left);
  }

  /** The token while no other process can have the lease, and half of it is left: it need not be renewed yet. */
  get freshToken(): number | undefined {
    return this.#leftMs() > this.#options.lease.ttlMs / 2 ? this.#token : undefined;
  }

  /** The token while no other process can have the lease. */
  get heldToken(): number | undefined {
    return this.#leftMs() > 0 ? this.#token : undefined;
  }

  /** Takes the lease, or renews it. @returns the token, undefined while another process has the lease. */
  async take(): Promise<number | undefined> {
    const { lease, now } = this.#options;
    const askedAt = now();
    const askedAtTime = Date.now();
    const taken = await lease.take();
    this.#token = taken?.token;
    this.#untilMs = taken ? askedAt + lease.ttlMs : Number.NEGATIVE_INFINITY;
    this.#untilTime = askedAtTime + lease.ttlMs;
    return taken?.token;
  }

  /** The next work asks the store again. */
  forget(): void {
    this.#token = undefined;
    this.#untilMs = Number.NEGATIVE_INFINITY;
  }

  /** Runs work under the lease that was taken, and renews it meanwhile: the work may take longer than the lease lasts. */
  async during<T>(work: (held: Held) => Promise<T>): Promise<T> {
    const { lease, stopping, onRenewalFailed } = this.#options;
    const token = this.#token;
    if (token === undefined) throw new LeaseLost(lease.name);
    const lost = new AbortController();
    const signal = stopping ? AbortSignal.any([lost.signal, stopping]) : lost.signal;
    const lose = () => lost.abort(new LeaseLost(lease.name));
    // A store that never answers does not renew either: the end of the lease needs no answer.
    let ending = setTimeout(lose, this.#leftMs());
    const renew = async () => {
      const renewed = await this.take();
      clearTimeout(ending);
      if (renewed !== token) return lose();
      ending = setTimeout(lose, this.#leftMs());
    };
    let renewing: Promise<void> | undefined;
    const timer = setInterval(() => {
      // The timer of the end stood still with the machine.
      if (this.#leftMs() === 0) lose();
      renewing ??= renew()
        .catch(onRenewalFailed)
        .finally(() => {
          renewing = undefined;
        });
    }, lease.ttlMs / 3);
    const confirm = async () => {
      await renew();
      signal.throwIfAborted();
    };
    try {
      return await work({ token, signal, untilMs: () => this.#untilMs, confirm });
    } finally {
      clearInterval(timer);
      // A renewal that is under way would take back a lease that is given up next.
      await renewing;
      clearTimeout(ending);
    }
  }
}
