import { amount, type ChainRecord, named, remembered } from './chain-record.ts';
import { lastAt, ratio } from './numbers.ts';

export type Price = { time: bigint; updatedAt: bigint; value: bigint };

/** Answers of a price feed, in chain order. */
const answersOf = (feed: 'feed' | 'native') =>
  remembered((record: ChainRecord): Price[] =>
    named(record, feed, 'AnswerUpdated').map((event) => ({
      time: event.time,
      updatedAt: amount(event, 'updatedAt'),
      value: amount(event, 'current'),
    })),
  );
export const assetPrices = answersOf('feed');
export const nativePrices = answersOf('native');

/** Raw answer of the asset's feed at a time; null before the first. */
export const priceAt = (record: ChainRecord, time: bigint): bigint | null =>
  lastAt(assetPrices(record), time)?.value ?? null;

/** What raw `assets x price` is in dollars. */
export const dollarsOf = (record: ChainRecord, assetsTimesPrice: bigint): number =>
  ratio(assetsTimesPrice, record.precision * record.feedScale);

/** An amount in dollars of a time; null without a price then. */
export function usdAt(record: ChainRecord, assets: bigint | null, time: bigint): number | null {
  const price = priceAt(record, time);
  return assets === null || price === null ? null : dollarsOf(record, assets * price);
}
