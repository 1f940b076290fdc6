import type { VaultDetail } from '@castellan/contracts';
import type { Api } from '../client/api.ts';

export type TvlSeries = Awaited<ReturnType<Api['analyticsTvl']>>;

/** Where each point is an observation there is no interval; a page that is open for days keeps one a minute. */
const LEAST_SECONDS = 60;

/**
 * A series of values with the reading that was just pushed at its end, so that it is not asked for again. What the server answered
 * ends at its `as_of`; of later readings each interval keeps the last.
 */
export function extendTvl(series: TvlSeries, { chain_time, tvl_usd, total_assets }: VaultDetail): TvlSeries {
  const time = Date.parse(chain_time);
  const answered = Date.parse(series.as_of);
  if (time <= answered || time <= Date.parse(series.points.at(-1)?.t ?? series.as_of)) return series;
  const bucketOf = (at: number) => Math.floor(at / (Math.max(LEAST_SECONDS, series.interval_seconds) * 1_000));
  const kept = series.points.filter(({ t }) => {
    const at = Date.parse(t);
    return at <= answered || bucketOf(at) !== bucketOf(time);
  });
  return { ...series, points: [...kept, { t: chain_time, tvl_usd, tvl_asset: total_assets }] };
}
