import { amount, type ChainEvent, type ChainRecord, named } from './chain-record.ts';
import { dollarsOf, priceAt } from './money.ts';
import { sum, within } from './numbers.ts';

const depositsOf = (record: ChainRecord) => named(record, 'vault', 'Deposit');
const entryFeesOf = (record: ChainRecord) => named(record, 'strategy', 'ManagementFeePaid');
const fulfilmentsOf = (record: ChainRecord) => named(record, 'strategy', 'RedeemClaimable');

/** Raw amounts that went in (net of entry fees) and out in (from, to]. */
export function flowOf(record: ChainRecord, from: bigint, to: bigint) {
  const total = (events: ChainEvent[], name: string) =>
    sum(within(events, from, to).map((event) => amount(event, name)));
  const deposited = total(depositsOf(record), 'assets');
  const fees = total(entryFeesOf(record), 'feeAssets');
  const paid = total(fulfilmentsOf(record), 'assetsFulfilled');
  return { deposits: deposited - fees, withdrawals: paid, net: deposited - fees - paid };
}

/** Sum of `assets x price of its time`; null where one of them had no price. */
export function rawDollars(record: ChainRecord, parts: readonly { time: bigint; assets: bigint }[]): bigint | null {
  let total = 0n;
  for (const { time, assets } of parts) {
    const price = priceAt(record, time);
    if (price === null) return null;
    total += assets * price;
  }
  return total;
}

const partsOf = (events: readonly ChainEvent[], name: string, sign = 1n) =>
  events.map((event) => ({ time: event.time, assets: sign * amount(event, name) }));

/** Deposits, withdrawals and net flow of (from, to] in assets and in dollars of their own times. */
export function flowFigures(record: ChainRecord, from: bigint, to: bigint) {
  const deposits = within(depositsOf(record), from, to);
  const fees = within(entryFeesOf(record), from, to);
  const paid = within(fulfilmentsOf(record), from, to);
  const usd = (parts: { time: bigint; assets: bigint }[]) => {
    const raw = rawDollars(record, parts);
    return raw === null ? null : dollarsOf(record, raw);
  };
  const inward = [...partsOf(deposits, 'assets'), ...partsOf(fees, 'feeAssets', -1n)];
  const outward = partsOf(paid, 'assetsFulfilled');
  return {
    deposits: {
      count: deposits.length,
      assets: `${sum(partsOf(deposits, 'assets').map(({ assets }) => assets))}`,
      usd: usd(partsOf(deposits, 'assets')),
    },
    withdrawals: {
      count: paid.length,
      assets: `${sum(outward.map(({ assets }) => assets))}`,
      usd: usd(outward),
    },
    net_flow: flowOf(record, from, to).net,
    net_flow_usd: usd([...inward, ...partsOf(paid, 'assetsFulfilled', -1n)]),
    inward_usd: usd(inward),
  };
}
