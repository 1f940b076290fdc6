import type { GetAllocationSeries, ParamsOf, ResultOf } from '@castellan/contracts';
import { lastOfBuckets, type Stretch } from '../domain/downsample.ts';
import { type Figure, figure } from '../domain/figure.ts';
import { annualised } from '../domain/metric-math.ts';
import { type Bucket, bucketsOf, shareFigure } from '../domain/metrics/allocation.ts';
import { DAY, given, type Moment } from '../domain/moment.ts';
import type { Observation } from '../domain/observation.ts';
import { amount, written } from '../domain/plain-figures.ts';
import { rangeOf, windowStart } from '../domain/range.ts';
import { ratio } from '../domain/ratio.ts';
import { countUntil, isoOf, lastAtTime, stretchOf } from '../domain/timeline.ts';
import { answer, checksummed } from './answer.ts';
import type { Histories } from './ports.ts';
import { seriesOf } from './pps.ts';

/** What a source earned by its own share price, annualised over at most seven days of observations; null below a day. */
export function sourceApy(moment: Moment, address: string): Figure {
  const { observations } = moment.history;
  const priceOf = (item: Observation | undefined) =>
    item?.sources.find((source) => source.address === address)?.pricePerShare ?? null;
  const end = lastAtTime(observations, moment.time, moment.block);
  const start = lastAtTime(observations, moment.time - 7 * DAY, moment.block) ?? observations[0];
  const from = priceOf(start);
  const to = priceOf(end);
  const elapsed = start && end ? end.time - start.time : 0;
  const known = from !== null && to !== null && from !== 0n && elapsed >= DAY;
  const source = `state_observed: share price of ${address}`;
  return figure({
    value: known ? annualised(ratio(to - from, from), elapsed) : null,
    unit: 'fraction',
    method: 'source_apy',
    observed: true,
    reason: 'less than a day of observations of its share price',
    window: start && end ? { from: start.time, to: end.time } : null,
    sampleSize: 2,
    inputs: () => [
      { name: 'start', value: from, unit: 'share price', at: start, source },
      { name: 'end', value: to, unit: 'share price', at: end, source },
      given('t_start', start?.time ?? 0, 'seconds', 'the block of the observation'),
      given('t_end', end?.time ?? 0, 'seconds', 'the block of the observation'),
    ],
  });
}

/** Every place on the list within the range, idle last. */
function placesOf({ history }: Moment, { start, end }: Stretch): Pick<Bucket, 'address' | 'kind'>[] {
  if (start === end) return [];
  const { observations, sourcesChanged } = history;
  const changes = sourcesChanged.slice(countUntil(sourcesChanged, (at) => at, start));
  const seen = [start, ...changes.filter((at) => at < end)].map((at) => observations[at] as Observation);
  const sources = new Set(seen.flatMap((item) => item.sources.map(({ address }) => address)));
  const idle = { address: history.identity.strategy, kind: 'idle' as const };
  return [...[...sources].map((address) => ({ address, kind: 'source' as const })), idle];
}

function placesAt(moment: Moment, seen: Observation) {
  const buckets = bucketsOf(seen, moment.history.identity.strategy);
  return buckets.map(({ address, assets }, position) => ({
    source_address: checksummed(address),
    assets: amount(assets, { at: seen, source: `state_observed: ${address}` }, { observed: true, reason: unvalued }),
    share: shareFigure(seen, buckets, position),
  }));
}

const unvalued = 'the source could not be valued';

export const getAllocationSeries =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<typeof GetAllocationSeries>): Promise<ResultOf<typeof GetAllocationSeries>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const { observations } = moment.history;
    const inside = stretchOf(observations, windowStart(range), range.to, moment.block);
    const { width, kept } = lastOfBuckets(observations, inside, { range, most: params.points });
    return answer(params, moment, 'allocation', {
      ...seriesOf(range, width),
      sources: placesOf(moment, inside).map(({ address, kind }) => ({
        source_address: checksummed(address),
        kind,
        apy:
          kind === 'idle' ? written(0, 'fraction', { source: 'idle assets earn nothing' }) : sourceApy(moment, address),
      })),
      points: kept.map((item) => ({
        t: isoOf(item.time),
        sources: placesAt(moment, item),
      })),
    });
  };
