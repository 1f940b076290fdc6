import type {
  GetConcentration,
  GetDrawdown,
  GetRisk,
  GetVolatility,
  ParamsOf,
  ResultOf,
  RunSimulation,
} from '@castellan/contracts';
import { m4 } from '../domain/downsample.ts';
import { Extremes } from '../domain/extremes.ts';
import type { Figure } from '../domain/figure.ts';
import { bucketsOf, concentration, contribution, totalOf } from '../domain/metrics/allocation.ts';
import { dailyCloses } from '../domain/metrics/daily.ts';
import {
  drawdownNow,
  drawdownSeries,
  episodesOf,
  LEAST_EPISODE,
  MONTH,
  maxDrawdown,
  pointsOf,
} from '../domain/metrics/drawdown.ts';
import { byShares, dustOf, holdersNow, type Standing, standings, topShare } from '../domain/metrics/holders.ts';
import {
  coverage,
  dailyOutflow,
  instantAssets,
  instantFigure,
  instantShare,
  ladderOf,
  runOf,
} from '../domain/metrics/liquidity.ts';
import {
  componentsOf,
  daysOf,
  divergenceShare,
  floorsOf,
  priceAgeShare,
  SCORE_VERSION,
  scoreOf,
} from '../domain/metrics/risk-score.ts';
import { tvlAt } from '../domain/metrics/tvl.ts';
import { runway } from '../domain/metrics/upkeep.ts';
import {
  closesOf,
  firstAutocorrelation,
  rollingVolatility,
  sharpe,
  valueAtRisk,
  volatility,
} from '../domain/metrics/volatility.ts';
import { DAY, type Moment, observationAt } from '../domain/moment.ts';
import { rangeOf } from '../domain/range.ts';
import { ratio, sum } from '../domain/ratio.ts';
import { isoOf } from '../domain/timeline.ts';
import { answer, checksummed } from './answer.ts';
import type { Histories } from './ports.ts';
import { m4Width, seriesOf } from './pps.ts';

type Deps = { histories: Histories };

function concentrationOf(moment: Moment) {
  const found = concentration(moment);
  return {
    hhi: found.hhi,
    points: found.points,
    hhi_deployed: found.hhiDeployed,
    effective_sources: found.effective,
    normalised: found.normalised,
    band: found.band,
  };
}

const valueOrNull = (item: Figure): number | null => item.value as number | null;

/** Everything the score rests on, each figure once. */
function figuresOf(moment: Moment) {
  const dust = dustOf(moment);
  const holders = holdersNow(standings(moment, dust), dust);
  const days = 30;
  return {
    holders,
    concentration: concentrationOf(moment),
    drawdown: maxDrawdown(moment, MONTH),
    volatility: volatility(moment, days),
    sharpe: sharpe(moment, days),
    top: topShare(holders, 1),
    top10: topShare(holders, 10),
    instant: instantFigure(moment),
    instantShare: instantShare(moment),
    coverage: {
      k1: coverage(moment, holders, 1),
      k3: coverage(moment, holders, 3),
      k10: coverage(moment, holders, 10),
    },
    runway: runway(moment, 'actual'),
  };
}

export type RiskFigures = ReturnType<typeof figuresOf>;

/** The risk score of a vault and what it is made of. */
export function riskOf(moment: Moment) {
  const figures = figuresOf(moment);
  const measures = {
    hhiPoints: valueOrNull(figures.concentration.points),
    drawdown30d: valueOrNull(figures.drawdown),
    volatilityDaily: valueOrNull(figures.volatility.daily),
    instantShare: valueOrNull(figures.instantShare),
    coverageK3: valueOrNull(figures.coverage.k3),
    top10Share: valueOrNull(figures.top10),
    priceAgeShare: priceAgeShare(moment),
    runwayDays: daysOf(valueOrNull(figures.runway)),
    divergenceShare: divergenceShare(moment),
  };
  const components = componentsOf(measures);
  const floors = floorsOf(moment, measures);
  return { figures, components, floors, ...scoreOf(components, floors) };
}

function holderIndex(holders: readonly Standing[]): number | null {
  const amounts = holders.map(({ now }) => now?.shares ?? 0n);
  const total = sum(amounts);
  return total === 0n ? null : ratio(sum(amounts.map((amount) => amount * amount)), total * total);
}

/** What the worst day of twenty would take beyond what can be paid at once. */
function atRisk(moment: Moment) {
  const assets = tvlAt(moment, moment.time)?.assets ?? 0n;
  const outflow = dailyOutflow(moment, 90, assets);
  const worst = valueOrNull(outflow);
  const instant = instantAssets(observationAt(moment));
  const demand = worst === null ? null : (assets * BigInt(Math.round(worst * 1e9))) / 1_000_000_000n;
  const shortfall = demand === null || instant === null ? null : demand > instant ? demand - instant : 0n;
  return { h24_p95: outflow, shortfall };
}

export const getRisk =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetRisk>): Promise<ResultOf<typeof GetRisk>> => {
    const moment = await histories.momentOf(params);
    const { figures, components, floors, score, level, coverage: covered, topContributors } = riskOf(moment);
    return answer(params, moment, 'risk', {
      score,
      level,
      version: SCORE_VERSION,
      coverage: covered,
      floors,
      components,
      top_contributors: topContributors,
      concentration: figures.concentration,
      max_drawdown_30d: figures.drawdown,
      sharpe: figures.sharpe.figure,
      sharpe_note: figures.sharpe.note,
      volatility_daily: figures.volatility.daily,
      volatility_annual: figures.volatility.annual,
      top_holder_share: figures.top,
      top10_holder_share: figures.top10,
      holder_hhi: holderIndex(figures.holders),
      liquidity: {
        instant_assets: figures.instant,
        instant_share: figures.instantShare,
        coverage: figures.coverage,
        ladder: ladderOf(observationAt(moment)),
      },
      withdrawal_at_risk: atRisk(moment),
    });
  };

export const getConcentration =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetConcentration>): Promise<ResultOf<typeof GetConcentration>> => {
    const moment = await histories.momentOf(params);
    const seen = observationAt(moment);
    const buckets = seen ? bucketsOf(seen, moment.history.identity.strategy) : [];
    const total = seen ? totalOf(seen) : null;
    const ranked = [...buckets].sort((a, b) => (b.share ?? 0) - (a.share ?? 0));
    const [first] = ranked;
    return answer(params, moment, 'risk/concentration', {
      ...concentrationOf(moment),
      largest:
        first && first.share !== null ? { source_address: checksummed(first.address), share: first.share } : null,
      sources: ranked.map((bucket) => ({
        source_address: checksummed(bucket.address),
        kind: bucket.kind,
        assets: bucket.assets,
        share: bucket.share,
        contribution: contribution(bucket, total),
      })),
    });
  };

export const getDrawdown =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetDrawdown>): Promise<ResultOf<typeof GetDrawdown>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const points = pointsOf(moment, range.from, range.to);
    const width = m4Width(range, points.length, params.points);
    const all = drawdownSeries(points);
    const series = m4(all, { start: 0, end: all.length }, new Extremes(all, (a, b) => a.drawdown - b.drawdown), {
      most: params.points,
      width: width || 1,
      key: ({ t }) => t,
    });
    return answer(params, moment, 'risk/drawdown', {
      ...seriesOf(range, width),
      max_drawdown: maxDrawdown({ ...moment, time: range.to }, range.to - range.from),
      current_drawdown: drawdownNow(moment),
      episodes: episodesOf(points, LEAST_EPISODE)
        .reverse()
        .map(({ start, trough, recovered, depth, peakNet, troughNet }) => ({
          start: isoOf(start),
          trough: isoOf(trough),
          recovered: recovered === null ? null : isoOf(recovered),
          depth,
          duration_seconds: (recovered ?? range.to) - start,
          peak_net_pps: peakNet,
          trough_net_pps: troughNet,
        })),
      points: series.map(({ t, drawdown }) => ({ t: isoOf(t), drawdown })),
    });
  };

export const getVolatility =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetVolatility>): Promise<ResultOf<typeof GetVolatility>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const closes = closesOf(moment, 30);
    const found = volatility(moment, 30);
    const ratios = sharpe(moment, 30);
    // Enough days before the range that its first point has a whole window.
    const rolling = dailyCloses(moment, range.from - 31 * DAY, range.to);
    const [d7, d30] = [rollingVolatility(rolling, 7), rollingVolatility(rolling, 30)];
    const points = rolling
      .map(({ day }, index) => ({ time: (day + 1) * DAY, d7: d7[index] ?? null, d30: d30[index] ?? null }))
      .filter(({ time }) => time > range.from);
    const every = Math.max(1, Math.ceil(points.length / params.points));
    return answer(params, moment, 'risk/volatility', {
      ...seriesOf(range, every * DAY),
      volatility_daily: found.daily,
      volatility_annual: found.annual,
      sharpe: ratios.plain,
      sharpe_adjusted: ratios.figure,
      autocorrelation_1: firstAutocorrelation(closes),
      stale_days: closes.filter(({ reported }) => !reported).length,
      days: closes.length,
      value_at_risk: valueAtRisk(dailyCloses(moment, moment.time - 366 * DAY, moment.time)),
      points: points
        .filter((_, index) => (points.length - 1 - index) % every === 0)
        .map(({ time, ...rest }) => ({ t: isoOf(time), ...rest })),
    });
  };

export const runSimulation =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof RunSimulation>): Promise<ResultOf<typeof RunSimulation>> => {
    const moment = await histories.momentOf(params);
    const dust = dustOf(moment);
    const holders = byShares(holdersNow(standings(moment, dust), dust));
    const result = runOf(moment, holders, {
      topHolders: params.top_holders,
      shockMillionths: BigInt(Math.round(params.venue_shock * 1e6)),
    });
    const assets = tvlAt(moment, moment.time)?.assets ?? 0n;
    return answer(params, moment, 'risk/run', {
      top_holders: Math.min(params.top_holders, holders.length),
      hours: params.hours,
      venue_shock: params.venue_shock,
      demand: result?.demand ?? 0n,
      demand_share: result === null || assets === 0n ? null : ratio(result.demand, assets),
      paid_now: result?.paidNow ?? null,
      paid_by: (result?.paidBy ?? []).map(({ address, assets: paid, withinSeconds }) => ({
        within_seconds: withinSeconds,
        source_address: checksummed(address),
        assets: paid,
      })),
      shortfall: result?.shortfall ?? null,
      waiting: (result?.waiting ?? []).map(({ wallet, asked, paidNow, paidLater, unpaid }) => ({
        wallet_address: checksummed(wallet),
        asked,
        paid_now: paidNow,
        paid_later: paidLater,
        unpaid,
      })),
    });
  };
