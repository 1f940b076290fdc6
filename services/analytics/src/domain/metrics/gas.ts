import { computed, type Figure, figure, type Input } from '../figure.ts';
import { type Payer, type PayerTotals, payers, type Transaction } from '../ledgers/gas-ledger.ts';
import { given, type Moment } from '../moment.ts';
import { addDollars, type Dollars, noDollars } from '../money.ts';
import { dollarSum } from '../plain-figures.ts';
import { type Range, windowStart } from '../range.ts';
import { sum } from '../ratio.ts';
import { stretchOf } from '../timeline.ts';
import { tvlUsd } from './tvl.ts';

/** Wei have 18 digits whatever the coin is called. */
const WEI_DECIMALS = 18;

/** Gas in dollars, each transaction at the native coin's price of its time. */
const gasDollars = (moment: Moment, usd: Dollars, paid: () => readonly Transaction[]): Figure =>
  dollarSum(
    moment,
    usd,
    () => ({ added: paid().map((item) => ({ ...placed(item), value: item.usd.scaled, unit: 'wei x price' })) }),
    { assetDecimals: WEI_DECIMALS, priceDecimals: moment.history.nativePriceDecimals ?? 0, observed: true },
  );

/** Where a transaction and its receipt are. */
export const placed = ({ time, block, tx }: Transaction) => ({
  at: { time, block, tx },
  source: 'receipt: gasUsed x effectiveGasPrice + l1Fee',
});

function payerRow(moment: Moment, { count, gasUsed, cost, usd }: PayerTotals, paid: () => readonly Transaction[]) {
  const of = (value: bigint, unit: string, pick: (item: Transaction) => bigint): Figure =>
    figure({
      value,
      unit,
      method: 'sum',
      observed: true,
      sampleSize: count,
      inputs: () => paid().map((item) => ({ ...placed(item), name: 'added', value: pick(item), unit })),
    });
  return {
    transactions: figure({
      value: count,
      unit: 'transactions',
      method: 'count',
      observed: true,
      sampleSize: count,
      inputs: () => paid().map((item) => ({ ...placed(item), name: 'item', value: item.tx, unit: 'transaction' })),
    }),
    gas_used: of(gasUsed, 'gas', (item) => item.gasUsed),
    total: of(cost, 'wei', (item) => item.cost),
    usd: gasDollars(moment, usd, paid),
  };
}

/** What transactions that touched the vault cost within a range, in all and by payer. */
export function gasOf(moment: Moment, range: Range) {
  const { gas } = moment.history;
  const { start, end } = stretchOf(gas.transactions, windowStart(range), range.to, moment.block);
  const totals = gas.totals(windowStart(range), range.to, moment.block);
  const all = payers.map((payer) => totals[payer]);
  const cost = sum(all.map((item) => item.cost));
  const touching = () => gas.transactions.slice(start, end);
  const usd = gasDollars(
    moment,
    all.reduce((total, item) => addDollars(total, item.usd), noDollars),
    touching,
  );
  const of = (method: 'sum' | 'mean' | 'quantile', value: bigint | undefined, q?: number): Figure =>
    figure({
      value: value ?? null,
      unit: 'wei',
      method,
      observed: true,
      reason: 'no transactions in the range',
      sampleSize: end - start,
      inputs: () => [
        ...gas.transactions.slice(start, end).map((item) => gasInput(method === 'sum' ? 'added' : 'sample', item)),
        ...(q === undefined ? [] : [{ name: 'q', value: q, unit: 'fraction', source: 'definition' }]),
      ],
    });
  return {
    average: of('mean', end === start ? undefined : cost / BigInt(end - start)),
    p50: of('quantile', gas.costs.quantile(start, end, 0.5), 0.5),
    p95: of('quantile', gas.costs.quantile(start, end, 0.95), 0.95),
    total: of('sum', cost),
    usd,
    by_payer: Object.fromEntries(
      payers.map((payer) => [
        payer,
        payerRow(moment, totals[payer], () => touching().filter((item) => item.payer === payer)),
      ]),
    ) as Record<Payer, ReturnType<typeof payerRow>>,
    tvl_bps_per_year: gasShare(moment, range, usd.value as number | null),
  };
}

/** What gas costs in a year, in basis points of what the vault holds. */
function gasShare(moment: Moment, range: Range, dollars: number | null): Figure {
  const tvl = tvlUsd(moment).value as number | null;
  const seconds = range.to - Math.max(range.from, moment.history.identity.time);
  const shape = {
    unit: 'bps per year',
    method: 'bps_per_year',
    observed: true,
    window: { from: range.to - seconds, to: range.to },
  } as const;
  if (dollars === null || !tvl || seconds <= 0)
    return figure({
      ...shape,
      value: null,
      reason: 'a price is missing, or the vault holds nothing',
      inputs: () => [],
    });
  return computed({
    ...shape,
    inputs: () => [
      given('dollars', dollars, 'USD', 'gas.usd of this answer'),
      given('seconds', seconds, 'seconds', 'the range since the vault began'),
      given('tvl', tvl, 'USD', 'TVL at the moment'),
    ],
  });
}

const gasInput = (name: string, { cost, time, block, tx }: Transaction): Input => ({
  name,
  value: cost,
  unit: 'wei',
  at: { time, block, tx },
  source: 'receipt: gasUsed x effectiveGasPrice + l1Fee',
});
