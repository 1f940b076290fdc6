import { deviationThresholdBps } from '@castellan/chain';
import { computed, type Figure, figure } from '../figure.ts';
import { DAY, given, type Moment, observationAt, ppsNow } from '../moment.ts';
import { fractionOf } from '../plain-figures.ts';
import { divergenceFigure } from './divergence.ts';

/** Changes whenever weights, bounds or floors do; shown with every score. */
export const SCORE_VERSION = '1.1';
/** A score resting on less than this share of the weights is no score. */
const LEAST_COVERAGE = 0.7;
const version = `version ${SCORE_VERSION}`;

/** One part of the score: a figure, its score from 0 to 100, and its weight. */
export type Component = {
  name: string;
  value: Figure;
  unit: string;
  score: Figure;
  weight: number;
  formula: string;
};
/** A danger; while it holds, the score is at least `floor`. */
export type Floor = { name: string; floor: number; reason: string };

/** What the score is made of; null where there is no live data. */
export type Measures = {
  hhiPoints: Figure;
  drawdown30d: Figure;
  volatilityDaily: Figure;
  instantShare: Figure;
  coverageK3: Figure;
  top10Share: Figure;
  priceAgeShare: Figure;
  runwayDays: Figure;
  divergenceShare: Figure;
};

const numberOf = ({ value }: Figure): number | null => value as number | null;

function scoreFigure(name: string, value: Figure, none: number, full: number): Figure {
  const measured = numberOf(value);
  const { observed, reason } = value;
  const shape = { unit: 'fraction', method: 'component_score', observed, reason } as const;
  if (measured === null) return figure({ ...shape, value: null, inputs: () => [] });
  return computed({
    ...shape,
    inputs: () => [
      given('value', measured, value.unit, name),
      given('score_0', none, value.unit, `version ${SCORE_VERSION}`),
      given('score_1', full, value.unit, `version ${SCORE_VERSION}`),
    ],
  });
}

/** Weights sum to 1. Each score runs from 0 (no danger) to 1 on a straight line between two values. */
export function componentsOf(m: Measures): Component[] {
  const of = (
    name: string,
    weight: number,
    value: Figure,
    unit: string,
    formula: string,
    [none, full]: readonly [none: number, full: number],
  ): Component => ({ name, value, unit, weight, formula, score: scoreFigure(name, value, none, full) });
  return [
    of('concentration', 0.2, m.hhiPoints, 'HHI points', '(points - 1 000) / 4 000', [1_000, 5_000]),
    of('drawdown', 0.15, m.drawdown30d, 'fraction', 'max drawdown 30 d / 5 %', [0, 0.05]),
    of('volatility', 0.1, m.volatilityDaily, 'fraction per day', 'daily volatility / 2 %', [0, 0.02]),
    of('instant liquidity', 0.15, m.instantShare, 'fraction', '1 - instant share / 50 %', [0.5, 0]),
    of('coverage of top 3', 0.1, m.coverageK3, 'ratio', '2 - instant / three largest holders', [2, 1]),
    of('holder concentration', 0.1, m.top10Share, 'fraction', 'top-10 share / 80 %', [0, 0.8]),
    of('price age', 0.1, m.priceAgeShare, 'fraction', 'age / expiration', [0, 1]),
    of('upkeep runway', 0.05, m.runwayDays, 'days', '1 - days / 30', [30, 0]),
    of('divergence', 0.05, m.divergenceShare, 'fraction', '|divergence| / deviation threshold', [0, 1]),
  ];
}

const nothingSeen = 'nothing has been observed yet';

/** How far the calculated price is from the accepted one, as a share of what the guard allows; null with the guard off. */
export function divergenceShare(moment: Moment): Figure {
  const seen = observationAt(moment);
  const at = seen && { time: seen.time, block: seen.block };
  const threshold = seen?.deviationThreshold ?? 0n;
  const bps = divergenceFigure(moment);
  const divergence = numberOf(bps);
  const shape = {
    unit: 'fraction',
    method: 'guard_use',
    observed: true,
    reason: seen ? 'a source could not be valued, or the deviation guard is off' : nothingSeen,
  } as const;
  const allowed = deviationThresholdBps(threshold);
  if (divergence === null || allowed === null || allowed === 0)
    return figure({ ...shape, value: null, inputs: () => [] });
  return computed({
    ...shape,
    inputs: () => [
      { name: 'divergence', value: divergence, unit: 'bps', source: 'calculated.divergence_bps of pps' },
      { name: 'threshold', value: threshold, unit: '10^18 = 100 %', at, source: 'state_observed' },
    ],
  });
}

/** The age of the price as a fraction of its expiration. */
export function priceAgeShare(moment: Moment): Figure {
  const seen = observationAt(moment);
  const point = ppsNow(moment);
  return fractionOf(
    { value: point ? BigInt(moment.time - point.t) : null, unit: 'seconds', at: point, source: 'PPSUpdated' },
    { value: seen ? BigInt(seen.expirationSeconds) : null, unit: 'seconds', at: seen, source: 'state_observed' },
    { observed: true, reason: nothingSeen },
  );
}

/** A runway in days. */
export function runwayDays(runway: Figure): Figure {
  const seconds = numberOf(runway);
  return figure({
    value: seconds === null ? null : seconds / DAY,
    unit: 'days',
    method: 'days',
    observed: true,
    reason: runway.reason,
    inputs: () => [given('seconds', seconds ?? 0, 'seconds', 'runway at the cadence of the last 24 hours')],
  });
}

/** A danger that sets a floor: whether it holds, null while that is not known. */
type Danger = {
  readonly name: string;
  readonly floor: number;
  readonly holds: boolean | null;
  readonly reason: string;
};

const beyond = (figure: Figure, holds: (value: number) => boolean): boolean | null => {
  const value = numberOf(figure);
  return value === null ? null : holds(value);
};

function dangersOf(moment: Moment, m: Measures): Danger[] {
  const seen = observationAt(moment);
  const guardOff = seen ? deviationThresholdBps(seen.deviationThreshold) === null : null;
  const kind = seen?.primaryManagerKind ?? null;
  return [
    { name: 'paused', floor: 70, holds: seen?.isPaused ?? null, reason: 'The vault is paused.' },
    {
      name: 'expired price',
      floor: 70,
      holds: beyond(m.priceAgeShare, (share) => share >= 1),
      reason: 'The price can no longer be used on chain.',
    },
    { name: 'stale price', floor: 65, holds: seen?.isStale ?? null, reason: 'The contract marks the price as stale.' },
    {
      name: 'guard off',
      floor: 50,
      holds: guardOff,
      reason: 'The deviation guard is switched off: any price is accepted.',
    },
    {
      name: 'single key',
      floor: 40,
      holds: kind === null ? null : kind === 'wallet',
      reason: 'The primary manager is a wallet: one key decides on its own.',
    },
    {
      name: 'coverage',
      floor: 40,
      holds: beyond(m.coverageK3, (ratio) => ratio < 1),
      reason: 'The three largest holders cannot be paid at once.',
    },
    {
      name: 'upkeep',
      floor: 60,
      holds: beyond(m.runwayDays, (days) => days < 1),
      reason: 'Upkeep pays for less than a day of price updates.',
    },
  ];
}

/** Dangers that no average may hide: each sets a floor under the score. */
export const floorsOf = (moment: Moment, m: Measures): Floor[] =>
  dangersOf(moment, m)
    .filter(({ holds }) => holds === true)
    .map(({ name, floor, reason }) => ({ name, floor, reason }));

/** Dangers of which it is not known whether they hold: the score may be too low by them. */
export const unknownFloors = (moment: Moment, m: Measures): string[] =>
  dangersOf(moment, m)
    .filter(({ holds }) => holds === null)
    .map(({ name }) => name);

/** The risk score from 0 to 100; `coverage` is the fraction of the weights with live data. */
export type Score = {
  score: Figure;
  level: 'low' | 'medium' | 'high' | null;
  coverage: Figure;
  topContributors: string[];
};

/**
 * 100 x weighted mean of the component scores with live data, at least the highest floor. Null ("incomplete") when less than
 * 70 % of the weights have live data. low < 35 <= medium < 65 <= high.
 */
export function scoreOf(components: readonly Component[], floors: readonly Floor[]): Score {
  const live = components.flatMap(({ name, weight, score }) => {
    const known = numberOf(score);
    return known === null ? [] : [{ name, weight, score: known }];
  });
  const weight = live.reduce((total, item) => total + item.weight, 0);
  const mean = weight === 0 ? 0 : live.reduce((total, item) => total + item.weight * item.score, 0) / weight;
  const covered = computed({
    unit: 'fraction',
    method: 'covered_weight',
    observed: true,
    sampleSize: live.length,
    inputs: () => live.map(({ name, weight: part }) => given('weight', part, 'fraction', `${name}, ${version}`)),
  });
  const value = weight < LEAST_COVERAGE ? null : Math.max(100 * mean, ...floors.map(({ floor }) => floor));
  const ranked = [...live].sort((a, b) => b.weight * b.score - a.weight * a.score);
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
    coverage: covered,
    topContributors: ranked.slice(0, 3).map(({ name }) => name),
  };
}
