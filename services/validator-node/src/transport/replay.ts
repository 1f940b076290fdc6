import type { Session } from './envelope.ts';

/** Counters this far below the highest are still taken, once each: two connections of one sender may overtake each other. */
const windowSize = 64n;

type Seen = { session: Session; highest: bigint; window: bigint };

const compare = (a: Session, b: Session): number =>
  a.number === b.number ? Number(a.nonce > b.nonce) - Number(a.nonce < b.nonce) : a.number > b.number ? 1 : -1;

/**
 * Takes each message of each sender once. Sessions of a sender are ordered: a newer one ends the older for good, so that a
 * captured session can neither be replayed nor displace the one that is running.
 */
export class ReplayGuard {
  readonly #bySender = new Map<number, Seen>();

  /** @returns false for what was taken before or is too old. Changes nothing, so it may be asked about what nobody signed. */
  isNew(from: number, session: Session, counter: bigint): boolean {
    const seen = this.#bySender.get(from);
    if (!seen) return true;
    const order = compare(session, seen.session);
    if (order !== 0) return order > 0;
    const behind = seen.highest - counter;
    return behind < 0n || (behind < windowSize && ((seen.window >> behind) & 1n) === 0n);
  }

  /** @returns false for what was taken before or is too old. */
  take(from: number, session: Session, counter: bigint): boolean {
    if (!this.isNew(from, session, counter)) return false;
    const seen = this.#bySender.get(from);
    if (!seen || compare(session, seen.session) > 0) {
      this.#bySender.set(from, { session, highest: counter, window: 1n });
      return true;
    }
    if (counter > seen.highest) {
      const ahead = counter - seen.highest;
      seen.window = (ahead >= windowSize ? 0n : BigInt.asUintN(Number(windowSize), seen.window << ahead)) | 1n;
      seen.highest = counter;
      return true;
    }
    seen.window |= 1n << (seen.highest - counter);
    return true;
  }
}
