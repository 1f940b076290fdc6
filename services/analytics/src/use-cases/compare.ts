import { type CompareVaults, compareMetrics, compareSeries, type ParamsOf, type ResultOf } from '@castellan/contracts';
import { type Figure, figure, render } from '../domain/figure.ts';
import { concentration } from '../domain/metrics/allocation.ts';
import { apyOver, returnInputs, returnOver, spanOf, spanSinceInception } from '../domain/metrics/apy-and-returns.ts';
import { fallFigure, lastFall, maxDrawdown } from '../domain/metrics/drawdown.ts';
import { comingsOf, countOf, dustOf, holdersNow, retention, standings } from '../domain/metrics/holders.ts';
import { netFlowUsd, tvlUsd } from '../domain/metrics/tvl.ts';
import { lastDays, volatility } from '../domain/metrics/volatility.ts';
import { DAY, type Moment } from '../domain/moment.ts';
import { bucketStarts, bucketWidth, type Range, rangeOf, windowStart } from '../domain/range.ts';
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

/** The figure of one vault at one time, null before its first price. */
const seriesFigures: Readonly<Record<Series, (moment: Moment, range: Range) => Figure | null>> = {
  return: (moment, range) => {
    const start = moment.history.prices.at(range.from, moment.block) ?? moment.history.prices.points[0];
    const end = moment.history.prices.at(moment.time, moment.block);
    if (!start || !end || start.t > moment.time) return null;
    return figure({
      value: moment.history.prices.netReturn(start, end),
      unit: 'fraction',
      method: 'period_return',
      window: { from: start.t, to: end.t },
      inputs: () => returnInputs(moment, { start, end }),
    });
  },
  apy: (moment) => apyOver(moment, spanOf(moment, 7 * DAY)),
  tvl_usd: tvlUsd,
  drawdown: (moment, range) => {
    const last = lastFall(moment, { from: windowStart(range), to: moment.time });
    return last ? fallFigure(last.drawdown, last.peak, last.point) : null;
  },
};

type Params = ParamsOf<typeof CompareVaults>;

/** The command that computes a figure of a comparison again, each vault at the block that it was read at. */
function verifyCommand(params: Params, moments: readonly Moment[]): (figure: string) => string {
  const [first] = params.vaults;
  const pinned = params.vaults.map(({ chain_id, vault_address }, at) => [chain_id, vault_address, moments[at]?.block]);
  const query = new URLSearchParams({
    vaults: pinned.map((vault) => vault.join(':')).join(','),
    period: params.period,
    points: String(params.points),
    ...(params.metrics ? { metrics: params.metrics.join(',') } : {}),
    ...(params.series ? { series: params.series.join(',') } : {}),
  });
  const vault = `--chain ${first?.chain_id} --vault ${first?.vault_address}`;
  return (figure) => `castellan verify receipt ${vault} --read compare --query "${query}" --figure ${figure}`;
}

/** The series over one set of times, null before a vault began. */
function seriesOf(moments: readonly Moment[], range: Range, times: readonly number[], names: readonly Series[]) {
  const at = (moment: Moment, name: Series, time: number): Figure | null =>
    time <= moment.history.identity.time ? null : seriesFigures[name]({ ...moment, time }, range);
  return Object.fromEntries(
    names.map((name) => [
      name,
      times.map((time) => ({ t: isoOf(time), values: moments.map((moment) => at(moment, name, time)) })),
    ]),
  );
}

export const compareVaults =
  ({ histories }: { histories: Histories }) =>
  async (params: Params): Promise<ResultOf<typeof CompareVaults>> => {
    const moments = await Promise.all(params.vaults.map((vault) => histories.momentOf(vault)));
    const end = Math.min(...moments.map(({ time }) => time));
    const created = Math.min(...moments.map(({ history }) => history.identity.time));
    const range = rangeOf({ period: params.period }, { time: end }, created);
    const width = bucketWidth(range, params.points);
    const times = bucketStarts(range, width).map((start) => Math.min(start + width, range.to));
    const metrics = params.metrics ?? compareMetrics;
    const verify = params.receipt ? verifyCommand(params, moments) : null;
    const rows = moments.map((moment, index) => {
      const tree = Object.fromEntries(metrics.map((name) => [name, figures[name](moment, range)]));
      const path = (name: string) => `table.${index}.metrics.${name}`;
      const { body, quality, receipts } = render(tree, verify && ((name) => verify(path(name))));
      return { moment, body, quality, receipts: Object.entries(receipts).map(([name, one]) => [path(name), one]) };
    });
    const lines = render({ series: seriesOf(moments, range, times, params.series ?? compareSeries) }, verify);
    return {
      period: params.period,
      from: isoOf(range.from),
      to: isoOf(range.to),
      interval_seconds: width,
      table: rows.map(({ moment, body, quality }, index) => ({
        chain_id: params.vaults[index]?.chain_id ?? 0,
        vault_address: checksummed(moment.history.identity.vault),
        name: moment.history.identity.name,
        as_of: isoOf(moment.time),
        block_number: moment.block,
        metrics: body as Record<string, number | null>,
        quality,
      })),
      series: (lines.body as Pick<ResultOf<typeof CompareVaults>, 'series'>).series,
      ...(verify
        ? { receipts: { ...Object.fromEntries(rows.flatMap(({ receipts }) => receipts)), ...lines.receipts } }
        : {}),
    };
  };
