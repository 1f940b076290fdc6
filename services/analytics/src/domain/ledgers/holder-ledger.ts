import { BelowSums } from '../below-sums.ts';
import { addDollars, type Dollars, noDollars } from '../money.ts';
import { countAtBlock, countUntil, type Dated } from '../timeline.ts';

/**
 * What a holder has from this block on: `shares` include the `locked` ones, which are in escrow, and of these `pending` wait for
 * redemption; the others were cancelled and can be taken back.
 */
export type Holding = Dated & { readonly shares: bigint; readonly locked: bigint; readonly pending: bigint };
/** Assets put in and taken out, running; transfers between wallets count at their value. */
export type Moved = Dated & {
  readonly tx: string | null;
  readonly index: number;
  readonly in: bigint;
  readonly out: bigint;
  /** What was put in less what was taken out, each at the price of its time; running. */
  readonly cost: Dollars;
};

/** Where a log is. */
type InLog = Dated & { readonly tx: string | null; readonly index: number | null };

/** Shares bought at once, and the price paid for them. `toShares` runs up to and including it. */
export type Lot = Dated & { readonly toShares: bigint };

/** One wallet that has, or had, shares; addresses are lower case. */
export type Holder = {
  readonly address: string;
  readonly lots: Lot[];
  /** Shares of the lots by the PPS they were bought at. */
  readonly lotPrices: BelowSums;
  readonly holdings: Holding[];
  readonly moves: Moved[];
  /** Times of what the holder did: deposits, requests, cancels, claims, withdrawals. */
  readonly acts: Dated[];
  readonly firstDeposit: Dated | undefined;
  /** How the first shares came. */
  readonly cameBy: 'deposit' | 'transfer';
};

type Mutable = { -readonly [K in keyof Holder]: Holder[K] } & { balance: bigint; locked: bigint; cancelled: bigint };

/** Who has how many shares, with history. Contracts of the vault and fee recipients are no holders. */
export class HolderLedger {
  readonly #holders = new Map<string, Mutable>();
  /** From which block on an address does not count. */
  readonly #excluded = new Map<string, number>();
  /** All by address; undefined while one of them is new. */
  #sorted: readonly Holder[] | undefined;

  constructor(excluded: readonly string[]) {
    for (const address of excluded) this.#excluded.set(address, 0);
  }

  /** Takes an address out of the count: seen from this block or later it never counted, seen from earlier it did. */
  exclude(address: string, fromBlock: number): void {
    if (!this.#excluded.has(address)) this.#excluded.set(address, fromBlock);
  }

  #holder(address: string, cameBy: Holder['cameBy']): Mutable {
    const known = this.#holders.get(address);
    if (known) return known;
    const fresh: Mutable = {
      address,
      lots: [],
      lotPrices: new BelowSums(),
      holdings: [],
      moves: [],
      acts: [],
      firstDeposit: undefined,
      cameBy,
      balance: 0n,
      locked: 0n,
      cancelled: 0n,
    };
    this.#holders.set(address, fresh);
    this.#sorted = undefined;
    return fresh;
  }

  #note(holder: Mutable, { block, time }: Dated): void {
    if (holder.holdings.at(-1)?.block === block) holder.holdings.pop();
    const { balance, locked, cancelled } = holder;
    holder.holdings.push({ block, time, shares: balance + locked, locked, pending: locked - cancelled });
  }

  /** Shares in a wallet changed. `minted`: they came from a deposit. */
  balanceChanged(at: Dated, address: string, by: bigint, minted: boolean): void {
    const holder = this.#holder(address, minted ? 'deposit' : 'transfer');
    holder.balance += by;
    this.#note(holder, at);
  }

  /** Shares went into (or came out of) the escrow for a redemption. */
  lockedChanged(at: Dated, address: string, by: bigint): void {
    const holder = this.#holder(address, 'transfer');
    holder.locked += by;
    this.#note(holder, at);
  }

  /** What a holder can take back of cancelled requests is now this. */
  cancelledIs(at: Dated, address: string, shares: bigint): void {
    const holder = this.#holder(address, 'transfer');
    holder.cancelled = shares;
    this.#note(holder, at);
  }

  /** Cancelled shares were taken back. */
  takenBack(at: Dated, address: string, shares: bigint): void {
    const holder = this.#holder(address, 'transfer');
    holder.cancelled -= shares;
    holder.locked -= shares;
    this.#note(holder, at);
  }

  /** @param by - `usd` is what it is worth, whether it goes in or out. */
  moved({ block, time, tx, index }: InLog, address: string, by: { in?: bigint; out?: bigint; usd: Dollars }): void {
    const holder = this.#holder(address, 'transfer');
    const last = holder.moves.at(-1);
    const { scaled, missing } = by.usd;
    const running = {
      in: (last?.in ?? 0n) + (by.in ?? 0n),
      out: (last?.out ?? 0n) + (by.out ?? 0n),
      cost: addDollars(last?.cost ?? noDollars, { scaled: by.in === undefined ? -scaled : scaled, missing }),
    };
    holder.moves.push({ block, time, tx, index: index ?? 0, ...running });
  }

  acted({ block, time }: Dated, address: string): void {
    this.#holder(address, 'transfer').acts.push({ block, time });
  }

  deposited({ block, time }: Dated, address: string, shares: bigint, pps: bigint): void {
    const holder = this.#holder(address, 'deposit');
    holder.firstDeposit ??= { block, time };
    holder.lots.push({ block, time, toShares: (holder.lots.at(-1)?.toShares ?? 0n) + shares });
    holder.lotPrices.add(pps, shares);
  }

  /** One wallet, whether it counts as a holder or not. */
  find(address: string): Holder | undefined {
    return this.#holders.get(address);
  }

  /** Everyone who may count as a holder, as seen from a block; by address: an order that depends on nothing else. */
  people(block: number): Holder[] {
    this.#sorted ??= [...this.#holders.values()].sort((a, b) => (a.address < b.address ? -1 : 1));
    return this.#sorted.filter(({ address }) => (this.#excluded.get(address) ?? Number.MAX_SAFE_INTEGER) > block);
  }
}

/** What a holder had at a time, recorded in blocks up to `block`. Asked for very often, so without a call for each step. */
export function holdingAt({ holdings }: Holder, time: number, block: number): Holding | undefined {
  let low = 0;
  let high = holdings.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const holding = holdings[middle] as Holding;
    if (holding.time <= time && holding.block <= block) low = middle + 1;
    else high = middle;
  }
  return holdings[low - 1];
}

/**
 * Of the shares a holder has, how many were bought below a PPS. Shares leave in the order in which they came, so those held are
 * the newest bought; shares that came by transfer have no price and do not count.
 */
export function heldBelow({ lots, lotPrices }: Holder, held: bigint, pps: bigint, block: number): bigint {
  const end = countAtBlock(lots, block);
  const bought = lots[end - 1]?.toShares ?? 0n;
  const gone = bought > held ? bought - held : 0n;
  const start = countUntil(lots, ({ toShares }) => (toShares <= gone ? 0 : 1), 0, end);
  if (start >= end) return 0n;
  // The oldest lot of which something is left.
  const left = (lots[start] as Lot).toShares - gone;
  const first = lotPrices.below(start, start + 1, pps) === 0n ? 0n : left;
  return first + lotPrices.below(start + 1, end, pps);
}
