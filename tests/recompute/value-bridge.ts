import { type Asked, checksum, envelope, inceptionOf, rangeAsked, rangeFields } from './answer-parts.ts';
import type { ChainRecord } from './chain-record.ts';
import { unruled } from './coverage.ts';
import { flowOf } from './flows.ts';
import { priceAt, usdAt } from './money.ts';
import { ratio } from './numbers.ts';
import { assetsAt, skimmedIn, splitOf } from './tvl.ts';

/** What moved the value in (from, to], from logs alone. Before its first price a vault holds nothing. */
function movedIn(record: ChainRecord, from: bigint, to: bigint) {
  const start = assetsAt(record, from) ?? 0n;
  const end = assetsAt(record, to) ?? 0n;
  const flow = flowOf(record, from, to).net;
  const fees = skimmedIn(record, from, to);
  return { start, end, flow, fees, earned: end - start - flow + fees };
}

/** The bridge of a range. Its yield by source rests on positions of which the node may have forgotten most: it is held by what adds up. */
export function valueBridge(asked: Asked) {
  const { record } = asked;
  const { from, to, whole } = rangeAsked(asked);
  const moved = movedIn(record, whole ? from - 1n : from, to);
  // A vault that is younger than the range starts with the price of its first day.
  const priced = from < inceptionOf(record) ? inceptionOf(record) : from;
  const before = priceAt(record, priced);
  const after = priceAt(record, to);
  const { precision, feedScale } = record;
  const split =
    before === null || after === null
      ? null
      : splitOf(
          { assets: moved.start, price: before },
          { assets: moved.end, price: after },
          moved,
          precision * feedScale,
        );
  const dollars = (assets: bigint) =>
    before === null || after === null ? null : ratio(assets * (before + after), 2n * precision * feedScale);
  const leg = (assets: bigint) => ({ assets: `${assets}`, usd: dollars(assets) });
  const places = asked.answer.yield_by as { sources: { source_address: string }[] };
  const idle = places.sources[0];
  return {
    ...envelope(asked),
    ...rangeFields(asked),
    start: { assets: `${moved.start}`, usd: usdAt(record, moved.start, priced) },
    end: { assets: `${moved.end}`, usd: usdAt(record, moved.end, to) },
    flow: leg(moved.flow),
    yield: leg(moved.earned),
    fees: leg(-moved.fees),
    price: { usd: split?.price ?? null },
    total: { assets: `${moved.end - moved.start}`, usd: split?.total ?? null },
    yield_by: {
      ...Object.fromEntries(Object.keys(places).map((part) => [part, unruled])),
      sources: places.sources.map((source) =>
        source === idle
          ? { source_address: checksum(record.deployment.strategy), kind: 'idle', ...leg(0n) }
          : { kind: 'source', assets: unruled, usd: unruled, source_address: unruled },
      ),
    },
  };
}
