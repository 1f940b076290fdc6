import { least, left } from '../metric-math.ts';
import { sum } from '../ratio.ts';
import type { Claim } from './liquidity.ts';

/** A source: what is held there, and what of it is paid out at once. Base units of the asset. */
type Position = { readonly address: string; readonly held: bigint; readonly payable: bigint };

/** What a shock happens to: who asks for everything, the largest first, and what there is to pay them. */
export type Book = {
  readonly claims: readonly Claim[];
  readonly idle: bigint;
  readonly sources: readonly Position[];
};

/** What of a claim is lost, paid and waits: together what was asked. */
type Settled = Claim & { readonly lost: bigint; readonly paid: bigint; readonly waiting: bigint };

/** What a shock does. */
export type Outcome = {
  /** Of each source. */
  readonly lost: readonly bigint[];
  /** Of the vault. */
  readonly loss: bigint;
  /** What can be paid at once after it. */
  readonly pool: bigint;
  readonly holders: readonly Settled[];
};

/** Part of an amount that a fraction takes, rounded down. */
const partOf = (amount: bigint, millionths: bigint): bigint => (amount * millionths) / 1_000_000n;

/** All assets of the vault. */
export const assetsOf = ({ idle, sources }: Book): bigint => idle + sum(sources.map(({ held }) => held));

/** What is lost falls on all shares alike; then the largest is paid first, as far as the pool goes. */
function settle(book: Book, lost: readonly bigint[], pool: bigint): Outcome {
  const loss = sum(lost);
  const whole = assetsOf(book);
  let rest = pool;
  const holders = book.claims.map((claim): Settled => {
    // A claim can be worth more than the vault holds: the price says so. No more than all of it is lost.
    const ofLoss = whole === 0n ? 0n : least(claim.assets, (claim.assets * loss) / whole);
    const paid = least(rest, claim.assets - ofLoss);
    rest -= paid;
    return { ...claim, lost: ofLoss, paid, waiting: claim.assets - ofLoss - paid };
  });
  return { lost, loss, pool, holders };
}

const nothingLost = ({ sources }: Book): bigint[] => sources.map(() => 0n);
const poolOf = ({ idle, sources }: Book, lost: readonly bigint[]): bigint =>
  idle + sum(sources.map(({ held, payable }, at) => least(payable, left(held, [lost[at] as bigint]))));

/** The named sources lose a part of what is held there; what they pay at once is at most what is left. */
export function loseAt(book: Book, { targets, millionths }: { targets: ReadonlySet<string>; millionths: bigint }) {
  const lost = book.sources.map(({ address, held }) => (targets.has(address) ? partOf(held, millionths) : 0n));
  return settle(book, lost, poolOf(book, lost));
}

/** The asset loses its price: in assets nothing changes. */
export const depeg = (book: Book): Outcome => settle(book, nothingLost(book), poolOf(book, nothingLost(book)));

/** The oracle stops: while its last price is usable all is as before, then nobody is paid. */
export const stopOracle = (book: Book, isBlocked: boolean): Outcome =>
  settle(book, nothingLost(book), isBlocked ? 0n : poolOf(book, nothingLost(book)));

/** Only the first of the claims are made: so many of the largest holders leave. */
export const leave = (book: Book, holders: number): Outcome =>
  depeg({ ...book, claims: book.claims.slice(0, holders) });

/** Gas costs more: what holders are paid does not change, what upkeep and work cost does. */
export const raiseGas = (book: Book): Outcome => depeg(book);
