import { describe, expect, test } from '@jest/globals';
import { DAY, START } from '../chain-log.fixture.ts';
import { momentOf } from '../moment.fixture.ts';
import { written } from '../plain-figures.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { componentsOf, floorsOf, type Measures, scoreOf, unknownFloors } from './risk-score.ts';

type Numbers = { [K in keyof Measures]: number | null };

const calm: Numbers = {
  hhiPoints: 1_000,
  drawdown30d: 0,
  volatilityDaily: 0,
  instantShare: 1,
  coverageK3: 2,
  top10Share: 0,
  priceAgeShare: 0,
  runwayDays: 90,
  divergenceShare: 0,
};
const nothing = Object.fromEntries(Object.keys(calm).map((name) => [name, null])) as Numbers;
const measured = (numbers: Numbers): Measures =>
  Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [name, written(value, 'as measured', { source: name })]),
  ) as Measures;
const scored = (numbers: Numbers) => scoreOf(componentsOf(measured(numbers)), []);

describe('risk score', () => {
  test('default: weights sum to 1; no danger is 0, all of it is 100', () => {
    expect(componentsOf(measured(calm)).reduce((total, { weight }) => total + weight, 0)).toBeCloseTo(1, 12);
    expect(scored(calm)).toMatchObject({ level: 'low', coverage: { value: 1 }, score: { value: 0 } });
    const worst = {
      ...calm,
      hhiPoints: 10_000,
      drawdown30d: 0.5,
      volatilityDaily: 0.1,
      instantShare: 0,
      coverageK3: 0,
    };
    const all = { ...worst, top10Share: 1, priceAgeShare: 3, runwayDays: 0, divergenceShare: 9 };
    expect(scored(all)).toMatchObject({ level: 'high', score: { value: 100 } });
    expect(scored(all).topContributors).toEqual(['concentration', 'drawdown', 'instant liquidity']);
  });

  test('behavior: resting on less than 70 % of the weights it is incomplete, not low', () => {
    expect(scored(nothing)).toMatchObject({
      level: null,
      coverage: { value: 0 },
      score: { value: null, status: 'insufficient' },
    });
    expect(scored({ ...calm, hhiPoints: null, drawdown30d: null }).score.value).toBeNull();
    expect(scored({ ...calm, hhiPoints: null, volatilityDaily: null })).toMatchObject({
      coverage: { value: 0.7 },
      level: 'low',
    });
  });

  test.each([
    ['paused', 70, { is_paused: true }, {}],
    ['stale price', 65, { is_pps_stale: true }, {}],
    ['single key', 40, { primary_manager_kind: 'wallet' }, {}],
    ['guard off', 50, { deviation_threshold: `${2n ** 256n - 1n}` }, {}],
    ['expired price', 70, {}, { priceAgeShare: 1 }],
    ['coverage', 40, {}, { coverageK3: 0.99 }],
    ['upkeep', 60, {}, { runwayDays: 0.5 }],
  ])('behavior: %s sets a floor of %d that no average hides', (name, floor, seen, measures) => {
    const moment = momentOf(new VaultLog().observe(seen));
    const found = floorsOf(moment, measured({ ...calm, ...measures }));
    expect(found.map((one) => [one.name, one.floor])).toEqual([[name, floor]]);
    expect(scoreOf(componentsOf(measured(calm)), found).score.value).toBe(floor);
  });

  test('behavior: a healthy vault has no floor, an unobserved one none that nobody saw', () => {
    expect(floorsOf(momentOf(new VaultLog().observe()), measured(calm))).toEqual([]);
    expect(floorsOf(momentOf(new VaultLog(), { time: START + DAY }), measured(nothing))).toEqual([]);
  });

  test('behavior: a danger of which nothing is known is named, and sets no floor', () => {
    const unread = momentOf(new VaultLog().observe({ primary_manager_kind: undefined }));
    expect(floorsOf(unread, measured(calm))).toEqual([]);
    expect(unknownFloors(unread, measured(calm))).toEqual(['single key']);
    expect(unknownFloors(momentOf(new VaultLog().observe()), measured(calm))).toEqual([]);
    const all = ['paused', 'expired price', 'stale price', 'guard off', 'single key', 'coverage', 'upkeep'];
    expect(unknownFloors(momentOf(new VaultLog()), measured(nothing))).toEqual(all);
  });
});
