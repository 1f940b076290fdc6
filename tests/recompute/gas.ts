import { account, type ChainEvent, type ChainRecord, isTouching, named, remembered } from './chain-record.ts';
import { nativePrices, usdAt } from './money.ts';
import { lastAt, percentile, ratio, sum } from './numbers.ts';
import { YEAR } from './time.ts';
import { assetsAt } from './tvl.ts';

export const payers = ['depositor', 'manager', 'keeper', 'validator', 'other'] as const;
export type Payer = (typeof payers)[number];
export type Managers = { primary: string; secondary: ReadonlySet<string> };

/** One wei of the chain's coin. */
const WEI = 10n ** 18n;

/** Who managed the vault from which block on. */
export const managersByBlock = remembered((record: ChainRecord): { block: bigint; managers: Managers }[] => {
  const { primaryManager, secondaryManagers } = record.terms;
  let managers: Managers = { primary: primaryManager, secondary: new Set(secondaryManagers) };
  const known = [{ block: 0n, managers }];
  for (const event of named(
    record,
    'aggregator',
    'SecondaryManagerAdded',
    'SecondaryManagerRemoved',
    'PrimaryManagerChanged',
  )) {
    const secondary = new Set(managers.secondary);
    if (event.name === 'SecondaryManagerAdded') secondary.add(account(event, 'manager'));
    if (event.name === 'SecondaryManagerRemoved') secondary.delete(account(event, 'manager'));
    // A new primary manager begins with none: the contract clears them, not always with an event.
    managers =
      event.name === 'PrimaryManagerChanged'
        ? { primary: account(event, 'newManager'), secondary: new Set() }
        : { ...managers, secondary };
    known.push({ block: event.block, managers });
  }
  return known;
});

const managersAt = (record: ChainRecord, block: bigint): Managers =>
  (managersByBlock(record).findLast((known) => known.block <= block) ?? managersByBlock(record)[0])
    ?.managers as Managers;

/** Routine work that a program does for a vault, and the events that come with it. */
const routine = new Set([
  'RedeemClaimable',
  'RedeemRequestsFulfilled',
  'RedeemCancelRequestFulfilled',
  'PerformanceFeeSkimmed',
  'HWMPPSUpdated',
  'PPSUpdatedAfterSkim',
  'UpkeepDeposited',
  'Transfer',
]);
const keeping = new Set([
  'RedeemClaimable',
  'RedeemCancelRequestFulfilled',
  'PerformanceFeeSkimmed',
  'UpkeepDeposited',
]);

type EventName = Pick<ChainEvent, 'contract' | 'name'>;

/** Whose work a transaction is, by what it did to the vault and who sent it. */
export function payerOf(events: readonly EventName[], from: string, { primary, secondary }: Managers): Payer {
  const has = (...names: string[]) => events.some(({ name }) => name !== null && names.includes(name));
  if (has('VaultDeployed')) return 'other';
  if (has('UpkeepSpent', 'PPSUpdated', 'PPSValidated')) return 'validator';
  const isRoutine = events.every(({ name }) => name !== null && routine.has(name));
  if (isRoutine && events.some(({ name }) => keeping.has(String(name)))) return 'keeper';
  if (from === primary || secondary.has(from)) return 'manager';
  return events.some(({ contract }) => contract === 'vault') ? 'depositor' : 'other';
}

export type Transaction = { hash: string; time: bigint; block: bigint; gasUsed: bigint; cost: bigint; payer: Payer };

/** Every transaction that touched the vault, with its cost and whose work it was. */
export const transactionsOf = remembered((record: ChainRecord): Map<string, Transaction> => {
  const byTx = new Map<string, ChainEvent[]>();
  for (const event of record.events.filter(isTouching)) {
    const known = byTx.get(event.tx);
    if (known) known.push(event);
    else byTx.set(event.tx, [event]);
  }
  const found = [...byTx].map(([hash, events]): [string, Transaction] => {
    const cost = record.costs.get(hash);
    if (!cost) throw new Error(`No receipt of ${hash}.`);
    const { time, block } = events[0] as ChainEvent;
    const payer = payerOf(events, cost.from, managersAt(record, block));
    return [hash, { hash, time, block, gasUsed: cost.gasUsed, cost: cost.gasUsed * cost.price, payer }];
  });
  return new Map(found);
});

/** Dollars of native amounts at the price of their time; null where one had none. */
export function nativeUsd(record: ChainRecord, parts: readonly { time: bigint; cost: bigint }[]): number | null {
  let total = 0n;
  for (const { time, cost } of parts) {
    const price = lastAt(nativePrices(record), time)?.value;
    if (price === undefined) return null;
    total += cost * price;
  }
  return ratio(total, WEI * record.nativeScale);
}

export const spentIn = (record: ChainRecord, from: bigint, to: bigint): Transaction[] =>
  [...transactionsOf(record).values()].filter(({ time }) => time > from && time <= to);

/** What the transactions of (from, to] cost. */
export function gasFigures(record: ChainRecord, from: bigint, to: bigint) {
  const spent = spentIn(record, from, to);
  const costs = spent.map(({ cost }) => cost);
  const total = sum(costs);
  const text = (value: bigint | null) => (value === null ? null : `${value}`);
  const of = (payer: Payer) => {
    const own = spent.filter((each) => each.payer === payer);
    const gas = sum(own.map(({ gasUsed }) => gasUsed));
    return { transactions: own.length, gas_used: `${gas}`, total: `${sum(own.map(({ cost }) => cost))}` };
  };
  return {
    transactions: spent.length,
    average: spent.length ? `${total / BigInt(spent.length)}` : null,
    p50: text(percentile(costs, 50)),
    p95: text(percentile(costs, 95)),
    total: `${total}`,
    by_payer: Object.fromEntries(payers.map((payer) => [payer, of(payer)])) as Record<Payer, ReturnType<typeof of>>,
  };
}

/** The same in dollars, and over a year against the assets. */
export function gasDollars(record: ChainRecord, from: bigint, to: bigint, inception: bigint) {
  const spent = spentIn(record, from, to);
  const usd = nativeUsd(record, spent);
  const tvl = usdAt(record, assetsAt(record, record.time), record.time);
  const seconds = to - (from > inception ? from : inception);
  const measurable = usd !== null && tvl !== null && tvl > 0 && seconds > 0n;
  return {
    usd,
    by_payer: Object.fromEntries(
      payers.map((payer) => [
        payer,
        {
          usd: nativeUsd(
            record,
            spent.filter((each) => each.payer === payer),
          ),
        },
      ]),
    ) as Record<Payer, { usd: number | null }>,
    tvl_bps_per_year: measurable ? ((usd * Number(YEAR)) / Number(seconds) / tvl) * 10_000 : null,
  };
}
