import type {
  GetConcentration,
  GetDrawdown,
  GetRisk,
  GetVolatility,
  ParamsOf,
  ResultOf,
  RunSimulation,
} from '@castellan/contracts';
import { type Figure, figure } from '../domain/figure.ts';
import { concentration, placesOf, sourceCounts } from '../domain/metrics/allocation.ts';
import { spanOf } from '../domain/metrics/apy-and-returns.ts';
import { dailyCloses } from '../domain/metrics/daily.ts';
import {
  calmar,
  carriedIn,
  drawdownNow,
  drawdownSeries,
  episodeFigures,
  episodesIn,
  fallFigure,
  LEAST_EPISODE,
  MONTH,
  maxDrawdown,
  recoveryTime,
  sinceHigh,
} from '../domain/metrics/drawdown.ts';
import {
  byShares,
  countOf,
  dustOf,
  holderIndex,
  holdersNow,
  type Standing,
  standings,
  topShare,
} from '../domain/metrics/holders.ts';
import {
  claimsOf,
  coverage,
  instantFigure,
  instantShare,
  ladderOf,
  runOf,
  withdrawalAtRisk,
} from '../domain/metrics/liquidity.ts';
import {
  componentsOf,
  divergenceShare,
  floorsOf,
  priceAgeShare,
  runwayDays,
  SCORE_VERSION,
  scoreOf,
  unknownFloors,
} from '../domain/metrics/risk-score.ts';
import { runFigures } from '../domain/metrics/run-figures.ts';
import { runway } from '../domain/metrics/upkeep.ts';
import {
  daysCounted,
  daysOfRange,
  firstAutocorrelation,
  lastDays,
  rollingVolatility,
  sharpe,
  sortino,
  valueAtRisk,
  volatility,
} from '../domain/metrics/volatility.ts';
import { DAY, given, type Moment } from '../domain/moment.ts';
import { unknown, written } from '../domain/plain-figures.ts';
import { rangeOf, windowStart } from '../domain/range.ts';
import { isoOf } from '../domain/timeline.ts';
import { answer, checksummed } from './answer.ts';
import type { Histories } from './ports.ts';
import { seriesOf } from './pps.ts';

type Deps = { histories: Histories };

function concentrationOf(moment: Moment) {
  const found = concentration(moment);
  return {
    hhi: found.hhi,
    points: found.points,
    hhi_deployed: found.hhiDeployed,
    effective_sources: found.effective,
    normalised: found.normalised,
    band: found.band ?? unknown(found.hhi.reason),
  };
}

/** Everything the score rests on, each figure once. */
function figuresOf(moment: Moment) {
  const dust = dustOf(moment);
  const holders = holdersNow(standings(moment, dust), dust);
  const days = lastDays(moment, 30);
  return {
    holders,
    concentration: concentrationOf(moment),
    drawdown: maxDrawdown(moment, MONTH),
    volatility: volatility(days),
    sharpe: sharpe(days),
    top: topShare(holders, 1),
    top10: topShare(holders, 10),
    instant: instantFigure(moment),
    instantShare: instantShare(moment),
    coverage: {
      k1: coverage(moment, holders, 1),
      k3: coverage(moment, holders, 3),
      k10: coverage(moment, holders, 10),
    },
    runway: runway(moment, 'recent'),
  };
}

/** What the score's version fixes. */
const fixed = (value: number, unit: string): Figure => written(value, unit, { source: `version ${SCORE_VERSION}` });

/** The risk score of a vault and what it is made of. */
export function riskOf(moment: Moment) {
  const figures = figuresOf(moment);
  const measures = {
    hhiPoints: figures.concentration.points,
    drawdown30d: figures.drawdown,
    volatilityDaily: figures.volatility.daily,
    instantShare: figures.instantShare,
    coverageK3: figures.coverage.k3,
    top10Share: figures.top10,
    priceAgeShare: priceAgeShare(moment),
    runwayDays: runwayDays(figures.runway),
    divergenceShare: divergenceShare(moment),
  };
  const components = componentsOf(measures);
  const floors = floorsOf(moment, measures);
  return { figures, components, floors, unknown: unknownFloors(moment, measures), ...scoreOf(components, floors) };
}

export const getRisk =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetRisk>): Promise<ResultOf<typeof GetRisk>> => {
    const moment = await histories.momentOf(params);
    const found = riskOf(moment);
    const { figures, components, floors, score, level, coverage: covered, topContributors } = found;
    return answer(params, moment, 'risk', {
      score,
      level: level ?? unknown(score.reason),
      version: SCORE_VERSION,
      coverage: covered,
      floors: floors.map((one) => ({ ...one, floor: fixed(one.floor, 'points of 100') })),
      unknown_floors: found.unknown,
      components: components.map((one) => ({ ...one, weight: fixed(one.weight, 'fraction') })),
      top_contributors: topContributors,
      concentration: figures.concentration,
      max_drawdown_30d: figures.drawdown,
      carried_in: carriedIn(moment, { from: moment.time - MONTH, to: moment.time }),
      sharpe: figures.sharpe.adjusted,
      sharpe_naive: figures.sharpe.naive,
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
        ladder: ladderOf(moment),
      },
      withdrawal_at_risk: withdrawalAtRisk(moment),
    });
  };

export const getConcentration =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetConcentration>): Promise<ResultOf<typeof GetConcentration>> => {
    const moment = await histories.momentOf(params);
    const ranked = placesOf(moment);
    const [first] = ranked;
    return answer(params, moment, 'risk/concentration', {
      ...concentrationOf(moment),
      ...sourceCounts(moment),
      largest:
        first && first.share.value !== null
          ? { source_address: checksummed(first.address), share: first.share }
          : unknown(first?.share.reason ?? 'nothing has been observed yet'),
      sources: ranked.map(({ address, ...place }) => ({ source_address: checksummed(address), ...place })),
    });
  };

export const getDrawdown =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetDrawdown>): Promise<ResultOf<typeof GetDrawdown>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const window = { from: windowStart(range), to: range.to };
    const { width, falls } = drawdownSeries(moment, window, { range, most: params.points });
    const until = { ...moment, time: range.to };
    const deepest = maxDrawdown(until, range.to - range.from, { isWholeLife: range.period === 'all' });
    return answer(params, moment, 'risk/drawdown', {
      ...seriesOf(range, width),
      max_drawdown: deepest,
      max_drawdown_since_inception: maxDrawdown(until, 0, { isWholeLife: true }),
      recovery_seconds: recoveryTime(moment, window, deepest),
      seconds_since_high: sinceHigh(until),
      calmar: calmar(until, spanOf(until, range.to - range.from), deepest),
      carried_in: carriedIn(moment, window),
      current_drawdown: drawdownNow(moment),
      episodes: episodesIn(moment, window, LEAST_EPISODE)
        .reverse()
        .map((episode) => ({
          start: isoOf(episode.peak.t),
          trough: isoOf(episode.trough.t),
          recovered: episode.recovered === null ? null : isoOf(episode.recovered),
          ...episodeFigures(episode, range.to),
        })),
      points: falls.map(({ t, drawdown, point, peak }) => ({
        t: isoOf(t),
        drawdown: fallFigure(drawdown, peak, point),
      })),
    });
  };

export const getVolatility =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetVolatility>): Promise<ResultOf<typeof GetVolatility>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const days = daysOfRange(moment, range);
    const counted = daysCounted(days);
    const found = volatility(days);
    const ratios = sharpe(days);
    // Enough days before the range that its first point has a whole window.
    const rolling = dailyCloses(moment, range.from - 31 * DAY, range.to);
    const d7 = rollingVolatility(rolling, 7);
    const d30 = rollingVolatility(rolling, 30);
    const points = rolling
      .map(({ day }, index) => ({ time: (day + 1) * DAY, d7: d7[index], d30: d30[index] }))
      .filter(({ time }) => time > range.from);
    const every = Math.max(1, Math.ceil(points.length / params.points));
    return answer(params, moment, 'risk/volatility', {
      ...seriesOf(range, every * DAY),
      volatility_daily: found.daily,
      volatility_annual: found.annual,
      sharpe: ratios.adjusted,
      sharpe_naive: ratios.naive,
      sortino: sortino(days),
      autocorrelation_1: firstAutocorrelation(days),
      stale_days: counted.staleDays,
      days: counted.days,
      value_at_risk: valueAtRisk(dailyCloses(moment, moment.time - 366 * DAY, moment.time)),
      points: points
        .filter((_, index) => (points.length - 1 - index) % every === 0)
        .map(({ time, ...rest }) => ({ t: isoOf(time), ...rest })),
    });
  };

/** How many holders ask: no more than there are. */
export const askedHolders = (asked: number, holders: readonly Standing[]): Figure =>
  figure({
    value: Math.min(asked, holders.length),
    unit: 'wallets',
    method: 'count_at_most',
    sampleSize: holders.length,
    inputs: () => [given('asked', asked, 'wallets', 'the question'), ...countOf(holders).inputs()],
  });

export const runSimulation =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof RunSimulation>): Promise<ResultOf<typeof RunSimulation>> => {
    const moment = await histories.momentOf(params);
    const dust = dustOf(moment);
    const holders = byShares(holdersNow(standings(moment, dust), dust));
    const claims = claimsOf(moment, holders, params.top_holders);
    const result = runOf(moment, claims, BigInt(Math.round(params.venue_shock * 1e6)));
    return answer(params, moment, 'risk/run', {
      top_holders: askedHolders(params.top_holders, holders),
      hours: params.hours,
      venue_shock: params.venue_shock,
      ...runFigures(moment, claims, result),
    });
  };
