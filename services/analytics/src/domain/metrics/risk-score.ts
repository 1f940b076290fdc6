import { deviationThresholdBps, divergenceBps } from '@castellan/chain';
import { type Figure, figure } from '../figure.ts';
import { DAY, type Moment, observationAt, ppsNow } from '../moment.ts';

/** Changes whenever weights, bounds or floors do; shown with every score. */
export const SCORE_VERSION = '1.0';
/** A score resting on less than this share of the weights is no score. */
const LEAST_COVERAGE = 0.7;

export type Component = {
  name: string;
  value: number | null;
  unit: string;
  score: number | null;
  weight: number;
  formula: string;
};
export type Floor = { name: string; floor: number; reason: string };

/** What the score is made of; null where there is no live data. */
export type Measures = {
  hhiPoints: number | null;
  drawdown30d: number | null;
  volatilityDaily: number | null;
  instantShare: number | null;
  coverageK3: number | null;
  top10Share: number | null;
  priceAgeShare: number | null;
  runwayDays: number | null;
  divergenceShare: number | null;
};

const clamp = (value: number): number => Math.min(1, Math.max(0, value));
const scored = (value: number | null, score: (value: number) => number) =>
  value === null ? null : clamp(score(value));

/** Weights sum to 1. Each score runs from 0 (no danger) to 1. */
export function componentsOf(m: Measures): Component[] {
  const of = (
    name: string,
    weight: number,
    value: number | null,
    unit: string,
    formula: string,
    score: (value: number) => number,
  ): Component => ({ name, value, unit, weight, formula, score: scored(value, score) });
  return [
    of('concentration', 0.2, m.hhiPoints, 'HHI points', '(points - 1 000) / 4 000', (v) => (v - 1_000) / 4_000),
    of('drawdown', 0.15, m.drawdown30d, 'fraction', 'max drawdown 30 d / 5 %', (v) => v / 0.05),
    of('volatility', 0.1, m.volatilityDaily, 'fraction per day', 'daily volatility / 2 %', (v) => v / 0.02),
    of('instant liquidity', 0.15, m.instantShare, 'fraction', '1 - instant share / 50 %', (v) => 1 - v / 0.5),
    of('coverage of top 3', 0.1, m.coverageK3, 'ratio', '2 - instant / three largest holders', (v) => 2 - v),
    of('holder concentration', 0.1, m.top10Share, 'fraction', 'top-10 share / 80 %', (v) => v / 0.8),
    of('price age', 0.1, m.priceAgeShare, 'fraction', 'age / expiration', (v) => v),
    of('upkeep runway', 0.05, m.runwayDays, 'days', '1 - days / 30', (v) => 1 - v / 30),
    of('divergence', 0.05, m.divergenceShare, 'fraction', '|divergence| / deviation threshold', (v) => v),
  ];
}

/** How far the calculated price is from the accepted one, as a share of what the guard allows; null with the guard off. */
export function divergenceShare(moment: Moment): number | null {
  const seen = observationAt(moment);
  if (!seen) return null;
  const bps = divergenceBps({ calculated: seen.calculatedPps, current: seen.pps });
  const threshold = deviationThresholdBps(seen.deviationThreshold);
  return bps === null || threshold === null || threshold === 0 ? null : Math.abs(bps) / threshold;
}

export function priceAgeShare(moment: Moment): number | null {
  const seen = observationAt(moment);
  const point = ppsNow(moment);
  return seen && point ? (moment.time - point.t) / seen.expirationSeconds : null;
}

/** Dangers that no average may hide: each sets a floor under the score. */
export function floorsOf(moment: Moment, m: Measures): Floor[] {
  const seen = observationAt(moment);
  const floors: [boolean, Floor][] = [
    [seen?.isPaused === true, { name: 'paused', floor: 70, reason: 'The vault is paused.' }],
    [
      (m.priceAgeShare ?? 0) >= 1,
      { name: 'expired price', floor: 70, reason: 'The price can no longer be used on chain.' },
    ],
    [seen?.isStale === true, { name: 'stale price', floor: 65, reason: 'The contract marks the price as stale.' }],
    [
      seen !== undefined && deviationThresholdBps(seen.deviationThreshold) === null,
      { name: 'guard off', floor: 50, reason: 'The deviation guard is switched off: any price is accepted.' },
    ],
    [
      m.coverageK3 !== null && m.coverageK3 < 1,
      { name: 'coverage', floor: 40, reason: 'The three largest holders cannot be paid at once.' },
    ],
    [
      (m.runwayDays ?? 365) < 1,
      { name: 'upkeep', floor: 60, reason: 'Upkeep pays for less than a day of price updates.' },
    ],
  ];
  return floors.filter(([holds]) => holds).map(([, floor]) => floor);
}

export type Score = {
  score: Figure;
  level: 'low' | 'medium' | 'high' | null;
  coverage: number;
  topContributors: string[];
};

/**
 * 100 x weighted mean of the component scores with live data, at least the highest floor. Null ("incomplete") when less than
 * 70 % of the weights have live data. low < 35 <= medium < 65 <= high.
 */
export function scoreOf(components: readonly Component[], floors: readonly Floor[]): Score {
  const live = components.filter(({ score }) => score !== null);
  const weight = live.reduce((total, item) => total + item.weight, 0);
  const mean = weight === 0 ? 0 : live.reduce((total, item) => total + item.weight * (item.score ?? 0), 0) / weight;
  const value = weight < LEAST_COVERAGE ? null : Math.max(100 * mean, ...floors.map(({ floor }) => floor));
  const ranked = [...live].sort((a, b) => b.weight * (b.score ?? 0) - a.weight * (a.score ?? 0));
  return {
    score: figure({
      value,
      unit: 'points of 100',
      method: 'weighted_score',
      observed: true,
      reason: 'incomplete: less than 70 % of the weights have live data',
      sampleSize: live.length,
      inputs: () => [
        ...live.flatMap(({ name, score, weight: part }) => [
          { name: 'score', value: score, unit: 'fraction', source: name },
          { name: 'weight', value: part, unit: 'fraction', source: `version ${SCORE_VERSION}` },
        ]),
        ...floors.map(({ floor, reason }) => ({ name: 'floor', value: floor, unit: 'points', source: reason })),
      ],
    }),
    level: value === null ? null : value < 35 ? 'low' : value < 65 ? 'medium' : 'high',
    coverage: Math.round(weight * 1e6) / 1e6,
    topContributors: ranked.slice(0, 3).map(({ name }) => name),
  };
}

export const daysOf = (seconds: number | null): number | null => (seconds === null ? null : seconds / DAY);
