import type { GetCohorts, GetRetention, GetUsers, ListTopHolders, ParamsOf, ResultOf } from '@castellan/contracts';
import { type Figure, figure, type Input } from '../domain/figure.ts';
import { sharesKept, walletsKept } from '../domain/metrics/cohort-figures.ts';
import { type Cohort, cohortsOf, type Interval, sharesRetained, stayed } from '../domain/metrics/cohorts.ts';
import {
  activeWithin,
  assetRetention,
  type Comings,
  comingsOf,
  countOf,
  dustFigure,
  dustOf,
  holdersNow,
  retention,
  type Standing,
  standings,
  tenure,
} from '../domain/metrics/holders.ts';
import { DAY, given, type Moment, usdDecimals } from '../domain/moment.ts';
import { usdNumber } from '../domain/money.ts';
import type { Ranks } from '../domain/ranks.ts';
import { sum } from '../domain/ratio.ts';
import { isoOf, stretchOf } from '../domain/timeline.ts';
import { answer } from './answer.ts';
import { holderRow, rankedHolders } from './holder-row.ts';
import { pageMoment, pageOf, readCursor } from './pages.ts';
import type { Histories } from './ports.ts';

type Deps = { histories: Histories };
const windows = { h24: DAY, d7: 7 * DAY, d30: 30 * DAY } as const;

const bridgeOf = (comings: Comings) => ({
  start: countOf(comings.start),
  new_kept: countOf(comings.newKept),
  reactivated: countOf(comings.reactivated),
  churned: countOf(comings.churned),
  end: countOf(comings.end),
});

/** The middle value of a stretch; of two, their mean rounded down. */
function middleOf(sizes: Ranks<bigint>, { start, end }: { start: number; end: number }): bigint | undefined {
  const count = end - start;
  const lower = sizes.quantile(start, end, 0.5);
  if (lower === undefined || count % 2 === 1) return lower;
  // One past the lower middle, in the terms of the nearest rank.
  const upper = sizes.quantile(start, end, (count / 2 + 0.5) / count);
  return upper === undefined ? lower : (lower + upper) / 2n;
}

/** Deposits of the last 30 days: mean, middle and 90 % quantile, base units of the asset. */
function depositSizes(moment: Moment) {
  const window = { from: moment.time - 30 * DAY, to: moment.time };
  const { flows, depositSizes: sizes } = moment.history.flows;
  const stretch = stretchOf(flows.deposit, window.from, window.to, moment.block);
  const count = stretch.end - stretch.start;
  const inputs = (): Input[] =>
    flows.deposit.slice(stretch.start, stretch.end).map((flow) => ({
      name: 'sample',
      value: flow.assets,
      unit: 'asset base units',
      at: flow,
      source: 'Deposit',
    }));
  const of = (method: 'mean' | 'median' | 'quantile', value: bigint | undefined, more: readonly Input[] = []): Figure =>
    figure({
      value: value ?? null,
      unit: 'asset base units',
      method,
      reason: 'no deposits in 30 days',
      window,
      sampleSize: count,
      inputs: () => [...inputs(), ...more],
    });
  const totals = moment.history.flows.totals('deposit', window.from, window.to, moment.block);
  const usd = usdNumber(totals.usd, usdDecimals(moment));
  return {
    average_deposit: of('mean', count === 0 ? undefined : totals.assets / BigInt(count)),
    median_deposit: of('median', middleOf(sizes, stretch)),
    p90_deposit: of('quantile', sizes.quantile(stretch.start, stretch.end, 0.9), [
      { name: 'q', value: 0.9, unit: 'fraction', source: 'definition' },
    ]),
    average_deposit_usd: figure({
      value: usd === null || totals.count === 0 ? null : usd / totals.count,
      unit: 'USD',
      method: 'mean_usd',
      reason: count === 0 ? 'no deposits in 30 days' : 'a deposit had no price',
      window,
      sampleSize: count,
      inputs: () => [
        ...flows.deposit.slice(stretch.start, stretch.end).map((flow) => ({
          name: 'added',
          value: flow.usd.scaled,
          unit: 'assets x price',
          at: flow,
          source: 'Deposit',
        })),
        given('asset_decimals', moment.history.decimals, 'digits', 'the asset'),
        given('price_decimals', usdDecimals(moment) - moment.history.decimals, 'digits', 'the feed'),
      ],
    }),
  };
}

const by = (people: readonly Standing[], how: 'deposit' | 'transfer') =>
  people.filter(({ holder }) => holder.cameBy === how);

export const getUsers =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetUsers>): Promise<ResultOf<typeof GetUsers>> => {
    const moment = await histories.momentOf(params);
    const dust = dustOf(moment);
    const people = standings(moment, dust);
    const holders = holdersNow(people, dust);
    const comings = {
      h24: comingsOf(moment, people, dust, windows.h24),
      d7: comingsOf(moment, people, dust, windows.d7),
      d30: comingsOf(moment, people, dust, windows.d30),
    };
    const windowOf = (name: keyof typeof windows) => ({ from: moment.time - windows[name], to: moment.time });
    const each = (pick: (found: Comings) => Standing[]) => ({
      h24: countOf(pick(comings.h24), windowOf('h24')),
      d7: countOf(pick(comings.d7), windowOf('d7')),
      d30: countOf(pick(comings.d30), windowOf('d30')),
    });
    const slow = <T>(of: (found: Comings, window: { from: number; to: number }) => T) => ({
      d7: of(comings.d7, windowOf('d7')),
      d30: of(comings.d30, windowOf('d30')),
    });
    return answer(params, moment, 'users', {
      total: countOf(holders),
      ever: countOf(people),
      active: {
        h24: activeWithin(moment, windows.h24),
        d7: activeWithin(moment, windows.d7),
        d30: activeWithin(moment, windows.d30),
      },
      new: each(({ fresh }) => fresh),
      new_by_deposit: each(({ fresh }) => by(fresh, 'deposit')),
      new_by_transfer: each(({ fresh }) => by(fresh, 'transfer')),
      reactivated: slow(({ reactivated }, window) => countOf(reactivated, window)),
      churned: slow(({ churned }, window) => countOf(churned, window)),
      pending_churn: countOf(holders.filter(({ now }) => now !== undefined && now.pending === now.shares)),
      bridge: slow((found) => bridgeOf(found)),
      retention: slow((found, window) => retention(found, window, dust)),
      asset_retention: slow((found, window) => assetRetention(found, window, false)),
      net_asset_retention: slow((found, window) => assetRetention(found, window, true)),
      ...depositSizes(moment),
      mean_tenure_seconds: tenure(moment, holders),
      dust_shares: dustFigure(moment),
    });
  };

/** Fewer members than this say little about the many. */
const LEAST_MEMBERS = 5;

const shownCohort = (cohort: Cohort, retained: readonly (Figure | null)[]) => ({
  cohort: isoOf(cohort.start),
  size: countOf(cohort.members),
  significant: cohort.members.length >= LEAST_MEMBERS,
  complete: cohort.isComplete,
  retained,
});

const cellsByCount = (moment: Moment, cohort: Cohort, dust: bigint) =>
  stayed(moment, cohort, dust).map((left, age) =>
    walletsKept(moment, { left: BigInt(left), whole: BigInt(cohort.members.length) }, [{ cohort, age }], {
      dust,
      window: windowOfAge(moment, cohort, age),
    }),
  );

function cellsByShares(moment: Moment, cohort: Cohort) {
  const { bought, kept } = sharesRetained(moment, cohort);
  return kept.map((left, age) =>
    sharesKept(moment, { left, whole: bought }, [{ cohort, age }], windowOfAge(moment, cohort, age)),
  );
}

const windowOfAge = (moment: Moment, cohort: Cohort, age: number) => ({
  from: cohort.start,
  to: Math.min(cohort.ends[age] ?? moment.time, moment.time),
});

/** A walk over everybody's history: made once for a moment. */
function remembered<T>(moment: Moment, name: string, interval: string, make: () => T): T {
  return moment.history.remember(`${name} ${interval} ${moment.block} ${moment.time}`, make);
}

export const getCohorts =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetCohorts>): Promise<ResultOf<typeof GetCohorts>> => {
    const moment = await histories.momentOf(params);
    const tables = remembered(moment, 'cohorts', params.interval, () => {
      const dust = dustOf(moment);
      const cohorts = cohortsOf(moment, standings(moment, dust), params.interval);
      return {
        cohorts: cohorts.map((cohort) => shownCohort(cohort, cellsByCount(moment, cohort, dust))),
        by_shares: cohorts.map((cohort) => shownCohort(cohort, cellsByShares(moment, cohort))),
      };
    });
    return answer(params, moment, 'users/cohorts', {
      kind: 'on_or_after_by_holding',
      interval: params.interval,
      ...tables,
    });
  };

type Kept = { cohort: Cohort; base: bigint; kept: readonly bigint[] };
type OfAge = { age: number; left: bigint; base: bigint; cells: { cohort: Cohort; age: number }[] };

/** Over the cohorts whose period of this age has ended: what is left of all they began with. An age none has reached ends it. */
function byAge(moment: Moment, tables: readonly Kept[]): OfAge[] {
  const rows: OfAge[] = [];
  for (let age = 0; ; age += 1) {
    const old = tables.filter(({ cohort }) => (cohort.ends[age] ?? Number.MAX_SAFE_INTEGER) <= moment.time);
    if (old.length === 0) return rows;
    rows.push({
      age,
      left: sum(old.map((table) => table.kept[age] ?? 0n)),
      base: sum(old.map((table) => table.base)),
      cells: old.map(({ cohort }) => ({ cohort, age })),
    });
  }
}

/** How many groups are as old as that, each by the beginning of its first period. */
const cohortCount = (cells: OfAge['cells']): Figure =>
  figure({
    value: cells.length,
    unit: 'groups',
    method: 'count',
    sampleSize: cells.length,
    inputs: () =>
      cells.map(({ cohort }) => ({
        name: 'item',
        value: isoOf(cohort.start),
        unit: 'first period',
        source: 'Deposit: the first of each wallet',
      })),
  });

/** How many people are in groups. */
const membersOf = (cells: OfAge['cells']): Figure => {
  const count = cells.reduce((total, { cohort }) => total + cohort.members.length, 0);
  const inputs = () => countOf(cells.flatMap(({ cohort }) => cohort.members)).inputs();
  return figure({ value: count, unit: 'wallets', method: 'count', sampleSize: count, inputs });
};

function retentionTables(moment: Moment, interval: Interval) {
  const dust = dustOf(moment);
  const cohorts = cohortsOf(moment, standings(moment, dust), interval);
  const counted = cohorts.map((cohort) => ({
    cohort,
    base: BigInt(cohort.members.length),
    kept: stayed(moment, cohort, dust).map(BigInt),
  }));
  const held = cohorts.map((cohort) => {
    const { bought, kept } = sharesRetained(moment, cohort);
    return { cohort, base: bought, kept };
  });
  return {
    by_count: byAge(moment, counted).map(({ age, left, base, cells }) => ({
      age,
      cohorts: cohortCount(cells),
      base: membersOf(cells),
      retained: walletsKept(moment, { left, whole: base }, cells, { dust, window: null }),
    })),
    by_shares: byAge(moment, held).map(({ age, left, base, cells }) => ({
      age,
      cohorts: cohortCount(cells),
      retained: sharesKept(moment, { left, whole: base }, cells, null),
    })),
  };
}

export const getRetention =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetRetention>): Promise<ResultOf<typeof GetRetention>> => {
    const moment = await histories.momentOf(params);
    const tables = remembered(moment, 'retention', params.interval, () => retentionTables(moment, params.interval));
    return answer(params, moment, 'users/retention', {
      kind: 'on_or_after_by_holding',
      interval: params.interval,
      ...tables,
    });
  };

export const listTopHolders =
  ({ histories }: Deps) =>
  async ({ cursor, limit, ...params }: ParamsOf<typeof ListTopHolders>): Promise<ResultOf<typeof ListTopHolders>> => {
    const from = readCursor(cursor);
    const moment = await histories.momentOf(pageMoment(params, from));
    const { holders, total } = rankedHolders(moment);
    const offset = from?.offset ?? 0;
    const { page, paging } = pageOf(holders, offset, limit, moment.block);
    return answer(params, moment, 'users/top', {
      holders: page.map((person, index) => holderRow(moment, person, offset + index + 1, total)),
      ...paging,
      total: countOf(holders),
    });
  };
