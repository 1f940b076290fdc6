import { type CompareVaults, compareMetrics, compareSeries, type ParamsOf, type ResultOf } from '@castellan/contracts';
import { type Figure, render } from '../domain/figure.ts';
import { concentration } from '../domain/metrics/allocation.ts';
import { maxDrawdown, pointsOf } from '../domain/metrics/drawdown.ts';
import { comingsOf, countOf, dustOf, holdersNow, retention, standings } from '../domain/metrics/holders.ts';
import { apyOver, returnOver, spanOf, spanSinceInception } from '../domain/metrics/returns.ts';
import { netFlowUsd, tvlAt, tvlUsd } from '../domain/metrics/tvl.ts';
import { lastDays, volatility } from '../domain/metrics/volatility.ts';
import { DAY, type Moment, priceAt, usdDecimals } from '../domain/moment.ts';
import { bucketStarts, bucketWidth, type Range, rangeOf, windowStart } from '../domain/range.ts';
import { ratio, toNumber } from '../domain/ratio.ts';
import { isoOf } from '../domain/timeline.ts';
import { checksummed } from './answer.ts';
import type { Histories } from './ports.ts';
import { riskOf } from './risk.ts';

type Metric = (typeof compareMetrics)[number];
type Series = (typeof compareSeries)[number];

const month = 30 * DAY;

function retained(moment: Moment): Figure {
  const dust = dustOf(moment);
  const comings = comingsOf(moment, standings(moment, dust), dust, month);
  return retention(comings, { from: moment.time - month, to: moment.time }, dust);
}

const rangeSeconds = (moment: Moment, range: Range): number => Math.min(range.to, moment.time) - windowStart(range);

const figures: Readonly<Record<Metric, (moment: Moment, range: Range) => Figure>> = {
  apy_7d: (moment) => apyOver(moment, spanOf(moment, 7 * DAY)),
  apy_30d: (moment) => apyOver(moment, spanOf(moment, month)),
  period_return: (moment, range) =>
    returnOver(
      moment,
      range.period === 'all' ? spanSinceInception(moment) : spanOf(moment, rangeSeconds(moment, range)),
    ),
  tvl_usd: tvlUsd,
  max_drawdown: (moment, range) =>
    maxDrawdown(moment, rangeSeconds(moment, range), { isWholeLife: range.period === 'all' }),
  volatility_daily: (moment) => volatility(lastDays(moment, 30)).daily,
  hhi: (moment) => concentration(moment).hhi,
  depositors: (moment) => {
    const dust = dustOf(moment);
    return countOf(holdersNow(standings(moment, dust), dust));
  },
  retention_30d: retained,
  net_flow_usd: (moment, range) => netFlowUsd(moment, rangeSeconds(moment, range)),
  risk_score: (moment) => riskOf(moment).score,
};

/** The value of one vault at one time, null before it began. */
const values: Readonly<Record<Series, (moment: Moment, range: Range) => number | null>> = {
  return: (moment, range) => {
    const first = moment.history.prices.at(range.from, moment.block) ?? moment.history.prices.points[0];
    const last = moment.history.prices.at(moment.time, moment.block);
    return first && last && first.t <= moment.time ? moment.history.prices.netReturn(first, last) : null;
  },
  apy: (moment) => apyOver(moment, spanOf(moment, 7 * DAY)).value as number | null,
  tvl_usd: (moment) => {
    const point = tvlAt(moment, moment.time);
    const price = priceAt(moment, moment.time);
    return point && price ? toNumber(point.assets * price.answer, usdDecimals(moment)) : null;
  },
  drawdown: (moment, range) => {
    const nets = pointsOf(moment, windowStart(range), moment.time).flatMap(({ netNumerator: net }) =>
      net === null ? [] : [net],
    );
    const peak = nets.reduce((highest, net) => (net > highest ? net : highest), 0n);
    const last = nets.at(-1);
    return last === undefined ? null : ratio(peak - last, peak);
  },
};

export const compareVaults =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<typeof CompareVaults>): Promise<ResultOf<typeof CompareVaults>> => {
    const moments = await Promise.all(params.vaults.map((vault) => histories.momentOf(vault)));
    const end = Math.min(...moments.map(({ time }) => time));
    const created = Math.min(...moments.map(({ history }) => history.identity.time));
    const range = rangeOf({ period: params.period }, { time: end }, created);
    const width = bucketWidth(range, params.points);
    const times = bucketStarts(range, width).map((start) => Math.min(start + width, range.to));
    const metrics = params.metrics ?? compareMetrics;
    const series = params.series ?? compareSeries;
    return {
      period: params.period,
      from: isoOf(range.from),
      to: isoOf(range.to),
      interval_seconds: width,
      table: moments.map((moment, index) => {
        const tree = Object.fromEntries(metrics.map((name) => [name, figures[name](moment, range)]));
        const { body, quality } = render(tree, null);
        return {
          chain_id: params.vaults[index]?.chain_id ?? 0,
          vault_address: checksummed(moment.history.identity.vault),
          name: moment.history.identity.name,
          as_of: isoOf(moment.time),
          block_number: moment.block,
          metrics: body as Record<string, number | null>,
          quality,
        };
      }),
      series: Object.fromEntries(
        series.map((name) => [
          name,
          times.map((time) => ({
            t: isoOf(time),
            values: moments.map((moment) =>
              time <= moment.history.identity.time ? null : values[name]({ ...moment, time }, range),
            ),
          })),
        ]),
      ),
    };
  };
