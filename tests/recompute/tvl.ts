import { account, amount, type ChainRecord, named, remembered } from './chain-record.ts';
import { flowOf } from './flows.ts';
import { priceAt, usdAt } from './money.ts';
import { lastAt, minus, type Ratio, ratio, sum, toNumber, within } from './numbers.ts';
import { windows } from './time.ts';

const ZERO = `0x${'0'.repeat(40)}`;

type Level = { time: bigint; value: bigint };

/** Supply after each block that changed it. */
const suppliesOf = remembered((record: ChainRecord): Level[] => {
  let value = 0n;
  return named(record, 'vault', 'Transfer').flatMap((event) => {
    const minted = account(event, 'from') === ZERO;
    const burned = account(event, 'to') === ZERO;
    if (minted === burned) return [];
    value += minted ? amount(event, 'value') : -amount(event, 'value');
    return { time: event.time, value };
  });
});

export const supplyAt = (record: ChainRecord, time: bigint): bigint => lastAt(suppliesOf(record), time)?.value ?? 0n;

/** The price that the contract had stored after each block that changed it: a report counts from its block on. */
const storedPrices = remembered((record: ChainRecord): Level[] => {
  const stored = named(record, 'aggregator', 'PPSUpdated', 'PPSUpdatedAfterSkim');
  return stored.map((event) => ({
    time: event.time,
    value: amount(event, event.name === 'PPSUpdated' ? 'pps' : 'newPPS'),
  }));
});

/** Total assets as the chain stood at a time: supply times stored price, rounded down. Null before the vault had a price. */
export function assetsAt(record: ChainRecord, time: bigint): bigint | null {
  const pps = lastAt(storedPrices(record), time)?.value;
  return pps === undefined ? null : (supplyAt(record, time) * pps) / record.precision;
}

type End = { assets: bigint; price: bigint };

/** Performance fees that left the vault in (from, to]. */
export const skimmedIn = (record: ChainRecord, from: bigint, to: bigint): bigint =>
  sum(within(named(record, 'strategy', 'PerformanceFeeSkimmed'), from, to).map((event) => amount(event, 'totalFee')));

type Part = 'flow' | 'yield' | 'fees' | 'price' | 'total';

/** How a change in dollars came about; every part exact, so that they add up. In raw `assets x price`, halves included. */
export function splitParts(start: End, end: End, flow: bigint, fees: bigint): Record<Part, Ratio> {
  const prices = start.price + end.price;
  const halves = (over: bigint): Ratio => ({ over, under: 2n });
  return {
    flow: halves(flow * prices),
    yield: halves((end.assets - start.assets - flow + fees) * prices),
    fees: halves(-fees * prices),
    price: halves((start.assets + end.assets) * (end.price - start.price)),
    total: { over: end.assets * end.price - start.assets * start.price, under: 1n },
  };
}

/** The published split, for amounts and prices of `scale` raw units to the dollar. */
export function splitOf(start: End, end: End, moved: { flow: bigint; fees: bigint }, scale: bigint) {
  const parts = splitParts(start, end, moved.flow, moved.fees);
  const shown = ({ over, under }: Ratio) => ratio(over, under * scale);
  return {
    flow: shown(parts.flow),
    yield: shown(parts.yield),
    fees: shown(parts.fees),
    price: shown(parts.price),
    total: shown(parts.total),
  };
}

const noSplit = { flow: null, yield: null, fees: null, price: null, total: null };

/** Assets now, and how they changed over the last `seconds`. */
export function tvlFigures(record: ChainRecord, seconds: bigint) {
  const { time, precision, feedScale } = record;
  const before = assetsAt(record, time - seconds);
  const now = assetsAt(record, time);
  const priceBefore = priceAt(record, time - seconds);
  const priceNow = priceAt(record, time);
  const assets = { tvl_asset: now === null ? null : `${now}`, tvl_usd: usdAt(record, now, time) };
  const change = before === null || now === null || before === 0n ? null : ratio(now - before, before);
  if (before === null || now === null || priceBefore === null || priceNow === null)
    return { ...assets, change, change_usd: null, split: noSplit };
  const start = { assets: before, price: priceBefore };
  const end = { assets: now, price: priceNow };
  const moved = { flow: flowOf(record, time - seconds, time).net, fees: skimmedIn(record, time - seconds, time) };
  const worth = before * priceBefore;
  return {
    ...assets,
    change,
    change_usd: worth === 0n ? null : ratio(now * priceNow - worth, worth),
    split: splitOf(start, end, moved, precision * feedScale),
  };
}

export const tvlOfWindows = (record: ChainRecord) => ({
  h24: tvlFigures(record, windows.h24),
  d7: tvlFigures(record, windows.d7),
  d30: tvlFigures(record, windows.d30),
});

/** Assets and dollars after each block in the range that changed supply or price per share. */
export function tvlSeries(record: ChainRecord, from: bigint, to: bigint, whole: boolean) {
  const reports = named(record, 'aggregator', 'PPSUpdated', 'PPSUpdatedAfterSkim').map(({ time }) => time);
  const moved = [...reports, ...suppliesOf(record).map(({ time }) => time)];
  const times = [...new Set(moved)].filter((time) => time <= to && (time > from || (whole && time === from)));
  return times
    .sort((a, b) => Number(a - b))
    .map((time) => ({ time, assets: assetsAt(record, time), usd: usdAt(record, assetsAt(record, time), time) }));
}

/** Used where a difference of exact parts is wanted. */
export const residual = (parts: ReturnType<typeof splitParts>): number =>
  toNumber([parts.flow, parts.yield, parts.fees, parts.price].reduce(minus, parts.total));
