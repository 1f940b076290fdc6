import type { GetAllocationSeries, ParamsOf, ResultOf } from '@castellan/contracts';
import { annualised } from '../domain/methods.ts';
import { type Bucket, bucketsOf } from '../domain/metrics/allocation.ts';
import { DAY, type Moment } from '../domain/moment.ts';
import type { Observation } from '../domain/observation.ts';
import { bucketWidth, type Range, rangeOf } from '../domain/range.ts';
import { ratio } from '../domain/ratio.ts';
import { isoOf, lastAtTime, within } from '../domain/timeline.ts';
import { answer, checksummed } from './answer.ts';
import type { Histories } from './ports.ts';
import { seriesOf } from './pps.ts';

/** The last observation of each bucket: allocation is a state, so a mean of it would be one that never was. */
function lastOfBuckets(seen: readonly Observation[], width: number): Observation[] {
  const last = new Map<number, Observation>();
  for (const item of seen) last.set(Math.floor(item.time / width), item);
  return [...last.values()];
}

/** What a source earned by its own share price, annualised over at most seven days of observations; null below a day. */
export function sourceApy(moment: Moment, address: string): number | null {
  const { observations } = moment.history;
  const priceOf = (item: Observation | undefined) =>
    item?.sources.find((source) => source.address === address)?.pricePerShare ?? null;
  const end = lastAtTime(observations, moment.time, moment.block);
  const start = lastAtTime(observations, moment.time - 7 * DAY, moment.block) ?? observations[0];
  const [from, to] = [priceOf(start), priceOf(end)];
  if (!start || !end || from === null || to === null || from === 0n) return null;
  const elapsed = end.time - start.time;
  return elapsed < DAY ? null : annualised(ratio(to - from, from), elapsed);
}

const placesOf = (moment: Moment, range: Range): Bucket[] => {
  const all = new Map<string, Bucket>();
  for (const item of within(moment.history.observations, range.from, range.to, moment.block))
    for (const bucket of bucketsOf(item, moment.history.identity.strategy)) all.set(bucket.address, bucket);
  return [...all.values()];
};

export const getAllocationSeries =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<typeof GetAllocationSeries>): Promise<ResultOf<typeof GetAllocationSeries>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const inside = within(moment.history.observations, range.from, range.to, moment.block);
    const width = inside.length <= params.points ? 0 : bucketWidth(range, params.points);
    const kept = width === 0 ? inside : lastOfBuckets(inside, width);
    return answer(params, moment, 'allocation', {
      ...seriesOf(range, width),
      sources: placesOf(moment, range).map(({ address, kind }) => ({
        source_address: checksummed(address),
        kind,
        apy: kind === 'idle' ? 0 : sourceApy(moment, address),
      })),
      points: kept.map((item) => ({
        t: isoOf(item.time),
        sources: bucketsOf(item, moment.history.identity.strategy).map(({ address, assets, share }) => ({
          source_address: checksummed(address),
          assets,
          share,
        })),
      })),
    });
  };
