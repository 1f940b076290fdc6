import { addDollars, type Dollars, noDollars } from '../money.ts';
import { Ranks } from '../ranks.ts';
import { countAtBlock, countUntil, type Dated } from '../timeline.ts';

/** Who paid for a transaction. */
export const payers = ['depositor', 'manager', 'keeper', 'validator', 'other'] as const;
/** One of `payers`. */
export type Payer = (typeof payers)[number];

/** One transaction that touched the vault. `cost` in wei: gas used x price, plus what a rollup adds for its L1. */
export type Transaction = Dated & {
  readonly tx: string;
  readonly from: string;
  readonly gasUsed: bigint;
  readonly cost: bigint;
  readonly usd: Dollars;
  readonly payer: Payer;
};

/** What a payer has paid so far; `cost` in wei. */
export type PayerTotals = { count: number; gasUsed: bigint; cost: bigint; usd: Dollars };
type Running = Readonly<Record<Payer, PayerTotals>>;

const nothing: PayerTotals = { count: 0, gasUsed: 0n, cost: 0n, usd: noDollars };
const noneYet: Running = { depositor: nothing, manager: nothing, keeper: nothing, validator: nothing, other: nothing };

/** What a transaction did with the vault, as `contract.name` of its logs. */
type EventNames = ReadonlySet<string>;

const servicing: EventNames = new Set([
  'strategy.RedeemClaimable',
  'strategy.RedeemRequestsFulfilled',
  'strategy.RedeemCancelRequestFulfilled',
  'strategy.PerformanceFeeSkimmed',
  'strategy.HWMPPSUpdated',
  'aggregator.PPSUpdatedAfterSkim',
  'aggregator.UpkeepDeposited',
  'vault.Transfer',
  'escrow.AssetsReturned',
  'escrow.SharesReturned',
]);
/** A report that the oracle took is the work of a validator, whether the aggregator then stored its price or refused it. */
const reporting: EventNames = new Set(['oracle.PPSValidated', 'aggregator.PPSUpdated']);
const holding: EventNames = new Set([
  'vault.Deposit',
  'vault.RedeemRequest',
  'vault.CancelRedeemRequest',
  'vault.CancelRedeemClaim',
  'vault.Withdraw',
  'vault.Transfer',
  'vault.Approval',
  'vault.OperatorSet',
]);

const some = (events: EventNames, of: EventNames): boolean => [...events].some((event) => of.has(event));
const all = (events: EventNames, of: EventNames): boolean =>
  events.size > 0 && [...events].every((event) => of.has(event));

/**
 * Who paid, by what the transaction did and who sent it: `validator` brought a price, also one that was refused; a manager who only serviced the vault
 * (fulfilled, skimmed, funded upkeep) is `keeper`, else `manager`; a stranger who only funded upkeep is `keeper`; who acted on
 * shares is `depositor`.
 */
export function payerOf(events: EventNames, sender: { isManager: boolean }, isCreation: boolean): Payer {
  if (some(events, reporting) && !isCreation) return 'validator';
  if (sender.isManager) return all(events, servicing) ? 'keeper' : 'manager';
  if (all(events, new Set(['aggregator.UpkeepDeposited']))) return 'keeper';
  return some(events, holding) && !isCreation ? 'depositor' : 'other';
}

/** Transactions in chain order with running totals by payer. */
export class GasLedger {
  readonly transactions: Transaction[] = [];
  readonly costs = new Ranks<bigint>();
  readonly #running: Running[] = [];
  readonly #byHash = new Map<string, Transaction>();
  readonly #events = new Map<string, Set<string>>();

  /** A log of the vault in a transaction whose receipt is still to come. */
  addEvent(tx: string, contract: string, name: string): void {
    const known = this.#events.get(tx);
    if (known) known.add(`${contract}.${name}`);
    else this.#events.set(tx, new Set([`${contract}.${name}`]));
  }

  /** Returns the events of a transaction and forgets them. */
  takeEvents(tx: string): EventNames {
    const events = this.#events.get(tx) ?? new Set<string>();
    this.#events.delete(tx);
    return events;
  }

  add(transaction: Transaction): void {
    const last = this.#running.at(-1) ?? noneYet;
    const mine = last[transaction.payer];
    this.transactions.push(transaction);
    this.costs.add(transaction.cost);
    this.#byHash.set(transaction.tx, transaction);
    this.#running.push({
      ...last,
      [transaction.payer]: {
        count: mine.count + 1,
        gasUsed: mine.gasUsed + transaction.gasUsed,
        cost: mine.cost + transaction.cost,
        usd: addDollars(mine.usd, transaction.usd),
      },
    });
  }

  of(tx: string): Transaction | undefined {
    return this.#byHash.get(tx);
  }

  /** What each payer spent with from < time <= to, among blocks up to `block`. */
  totals(from: number, to: number, block: number): Running {
    const end = countUntil(this.transactions, ({ time }) => time, to, countAtBlock(this.transactions, block));
    const start = countUntil(this.transactions, ({ time }) => time, from, end);
    const upper = this.#running[end - 1] ?? noneYet;
    const lower = this.#running[start - 1] ?? noneYet;
    const less = (payer: Payer): PayerTotals => ({
      count: upper[payer].count - lower[payer].count,
      gasUsed: upper[payer].gasUsed - lower[payer].gasUsed,
      cost: upper[payer].cost - lower[payer].cost,
      usd: {
        scaled: upper[payer].usd.scaled - lower[payer].usd.scaled,
        missing: upper[payer].usd.missing - lower[payer].usd.missing,
      },
    });
    return {
      depositor: less('depositor'),
      manager: less('manager'),
      keeper: less('keeper'),
      validator: less('validator'),
      other: less('other'),
    };
  }
}
