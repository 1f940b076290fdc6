import { Ranks } from '../ranks.ts';
import { countAtBlock, type Dated } from '../timeline.ts';

/** One request and what became of it. `pps` is the price when it was made. */
export type Redemption = Dated & {
  readonly controller: string;
  readonly shares: bigint;
  readonly pps: bigint;
  readonly tx: string;
  readonly index: number;
  /** When its controller asked for it back; it still waits until somebody resolves it. */
  cancelAsked: Dated | undefined;
  resolved: (Dated & { readonly kind: 'fulfilled' | 'cancelled'; readonly tx: string | null }) | undefined;
};

/** A request that was paid, and how many seconds that took. */
export type Fulfilment = Dated & { readonly seconds: number; readonly request: Redemption };

/** Requests to redeem: all of a controller's open ones are fulfilled or given back together, as the contract does it. */
export class RedemptionLedger {
  readonly requests: Redemption[] = [];
  readonly fulfilments: Fulfilment[] = [];
  /** Seconds each fulfilment took. */
  readonly durations = new Ranks<number>();
  readonly #open = new Map<string, Redemption[]>();
  /** For each request, the oldest that waited when it was made: nothing older can wait at any later time before the next. */
  readonly #oldest: number[] = [];
  #waiting = 0;
  #changedAt = 0;
  readonly #slippage = new Map<string, (Dated & { bps: bigint })[]>();

  requested(request: Omit<Redemption, 'cancelAsked' | 'resolved'>): void {
    const noted: Redemption = { ...request, cancelAsked: undefined, resolved: undefined };
    this.requests.push(noted);
    while (this.requests[this.#waiting]?.resolved) this.#waiting += 1;
    this.#oldest.push(this.#waiting);
    this.#changedAt = request.block;
    const open = this.#open.get(request.controller);
    if (open) open.push(noted);
    else this.#open.set(request.controller, [noted]);
  }

  /** A controller wants all of its open requests back. */
  cancelAsked({ block, time }: Dated, controller: string): void {
    for (const request of this.#open.get(controller) ?? []) request.cancelAsked ??= { block, time };
  }

  resolved(at: Dated & { tx: string | null }, controller: string, kind: 'fulfilled' | 'cancelled'): void {
    const { block, time, tx } = at;
    this.#changedAt = block;
    for (const request of this.#open.get(controller) ?? []) {
      request.resolved = { block, time, tx, kind };
      if (kind !== 'fulfilled') continue;
      this.fulfilments.push({ block, time, seconds: time - request.time, request });
      this.durations.add(time - request.time);
    }
    this.#open.delete(controller);
  }

  slippageSet({ block, time }: Dated, controller: string, bps: bigint): void {
    const known = this.#slippage.get(controller) ?? [];
    known.push({ block, time, bps });
    this.#slippage.set(controller, known);
  }

  /** What the controller lets a fulfilment lose; the contract's default is 50 basis points. */
  slippageOf(controller: string, block: number): bigint {
    const known = this.#slippage.get(controller) ?? [];
    const bps = known[countAtBlock(known, block) - 1]?.bps ?? 0n;
    return bps === 0n ? 50n : bps;
  }

  /** Requests that wait at the end of a block. */
  pendingAt(block: number): Redemption[] {
    if (block >= this.#changedAt)
      return [...this.#open.values()].flat().sort((a, b) => a.block - b.block || a.index - b.index);
    const end = countAtBlock(this.requests, block);
    return this.requests
      .slice(this.#oldest[end - 1] ?? 0, end)
      .filter(({ resolved }) => resolved === undefined || resolved.block > block);
  }
}
