import type { GetApySeries, GetPerformance, GetTvlSeries, ParamsOf, ResultOf } from '@castellan/contracts';
import { sampled } from '../domain/downsample.ts';
import type { TvlPoint } from '../domain/ledgers/flow-ledger.ts';
import {
  aprOver,
  apyOver,
  currentApy,
  feeDrag,
  grossApy,
  returnOver,
  spanOf,
  spanOfRange,
  spanSinceInception,
} from '../domain/metrics/apy-and-returns.ts';
import { benchmarkRate, excessOver } from '../domain/metrics/benchmark.ts';
import { carriedIn, drawdownNow, timeInLoss } from '../domain/metrics/drawdown.ts';
import { tvlAsset, tvlChange, tvlFigure, tvlSplit, tvlUsd } from '../domain/metrics/tvl.ts';
import { DAY, priceAt } from '../domain/moment.ts';
import { inDollars } from '../domain/plain-figures.ts';
import { bucketStarts, bucketWidth, rangeOf, windowStart } from '../domain/range.ts';
import { isoOf, stretchOf } from '../domain/timeline.ts';
import { answer } from './answer.ts';
import type { Histories } from './ports.ts';
import { seriesOf } from './pps.ts';

export const getPerformance =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<typeof GetPerformance>): Promise<ResultOf<typeof GetPerformance>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const asked = spanOfRange(moment, range);
    const spans = {
      h24: spanOf(moment, DAY),
      d7: spanOf(moment, 7 * DAY),
      d30: spanOf(moment, 30 * DAY),
      d90: spanOf(moment, 90 * DAY),
      since_inception: spanSinceInception(moment),
    };
    const { h24, d7, d30, d90, since_inception } = spans;
    return answer(params, moment, 'performance', {
      annualization: 'compound/365d',
      period: range.period,
      from: isoOf(range.from),
      to: isoOf(range.to),
      apy: {
        current: currentApy(moment),
        d7: apyOver(moment, d7),
        d30: apyOver(moment, d30),
        d90: apyOver(moment, d90),
        since_inception: apyOver(moment, since_inception),
      },
      gross_apy: {
        d7: grossApy(moment, d7),
        d30: grossApy(moment, d30),
        d90: grossApy(moment, d90),
        since_inception: grossApy(moment, since_inception),
      },
      fee_drag: {
        d7: feeDrag(moment, d7),
        d30: feeDrag(moment, d30),
        d90: feeDrag(moment, d90),
        since_inception: feeDrag(moment, since_inception),
      },
      period_return: {
        h24: returnOver(moment, h24),
        d7: returnOver(moment, d7),
        d30: returnOver(moment, d30),
        d90: returnOver(moment, d90),
        since_inception: returnOver(moment, since_inception),
      },
      twr: returnOver(moment, asked),
      apr: aprOver(moment, asked),
      benchmark: benchmarkRate(moment, range.from, range.to),
      excess_return: excessOver(moment, asked),
      time_in_loss: timeInLoss(moment, range),
      carried_in: carriedIn(moment, { from: windowStart(range), to: range.to }),
      drawdown_now: drawdownNow(moment),
      tvl_usd: tvlUsd(moment),
      tvl_asset: tvlAsset(moment),
      tvl_change: { h24: tvlChange(moment, DAY), d7: tvlChange(moment, 7 * DAY), d30: tvlChange(moment, 30 * DAY) },
      tvl_change_split: { h24: tvlSplit(moment, DAY), d7: tvlSplit(moment, 7 * DAY), d30: tvlSplit(moment, 30 * DAY) },
    });
  };

const windows = { '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY } as const;

export const getApySeries =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<typeof GetApySeries>): Promise<ResultOf<typeof GetApySeries>> => {
    const moment = await histories.momentOf(params);
    const created = moment.history.identity.time;
    const range = rangeOf(params, moment, created);
    const width = bucketWidth(range, params.points);
    const window = windows[params.window];
    const points = bucketStarts(range, width)
      .map((start) => Math.min(start + width, range.to))
      .filter((end) => end > created)
      .map((time) => ({
        t: isoOf(time),
        apy: apyOver({ ...moment, time }, spanOf({ ...moment, time }, window)),
      }));
    return answer(params, moment, 'performance/apy', { ...seriesOf(range, width), window_seconds: window, points });
  };

export const getTvlSeries =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<typeof GetTvlSeries>): Promise<ResultOf<typeof GetTvlSeries>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const { tvl, extremes } = moment.history.flows;
    const stretch = stretchOf(tvl, windowStart(range), range.to, moment.block);
    const { width, kept } = sampled(tvl, stretch, extremes, { range, most: params.points, key: ({ time }) => time });
    const points = kept.map((at) => {
      const point = tvl[at] as TvlPoint;
      return {
        t: isoOf(point.time),
        tvl_asset: tvlFigure(moment, point),
        tvl_usd: inDollars(moment, point.assets, priceAt(moment, point.time), { at: point, source: 'TVL' }),
      };
    });
    return answer(params, moment, 'performance/tvl', { ...seriesOf(range, width), points });
  };
